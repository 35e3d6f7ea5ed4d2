"""The one boundary: secrets become typed placeholders before anything is digested, stored, shown or sent.

`<secret:KIND:HASH>`: equal secrets of a bundle get equal placeholders, by a keyed hash that the bundle's digest alone
does not give away. Copies are masked, files never. Not caught: a secret that is split over lines, or one that follows
no rule in `secret_rules.py` and stands alone as a word.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Iterable
from urllib.parse import unquote

import re2

from ..contracts.claim import Fact, Subject
from ..contracts.evidence import Answer
from ..contracts.incident import Alert, Incident
from .secret_rules import ENCODED, ESCAPED, IDENTIFIER_RULES, PERCENT, PLACEHOLDER, RULES, SUSPICIOUS, Rule
from .visible import visible

MAX_QUOTE = 400


class Redactor:
    """Masks the texts of one bundle."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> str:
        """One line, secrets masked, nothing hidden in it."""
        return visible(self._masked(text, RULES))

    def identifier(self, text: str) -> str:
        """A name: only what can be nothing but a secret is masked, since names are compared."""
        return visible(self._masked(text, IDENTIFIER_RULES))

    def lines(self, text: str) -> list[str]:
        """A longer text line by line; a secret over several lines, as a PEM block is, is masked as a whole."""
        return [visible(line) for line in self._masked(text, RULES).splitlines()]

    def fact(self, fact: Fact) -> Fact:
        subject = Subject(
            kind=fact.subject.kind,
            ref=self.identifier(fact.subject.ref)[:500],
            service=self.identifier(fact.subject.service)[:500],
        )
        return fact.model_copy(
            update={
                "subject": subject,
                "signal": self.identifier(fact.signal)[:200],
                "object": self.text(fact.object)[:500],
                "unit": self.identifier(fact.unit)[:50],
                "quote": self.text(fact.quote)[:MAX_QUOTE],
            }
        )

    def answer(self, answer: Answer) -> Answer:
        return answer.model_copy(
            update={
                "facts": tuple(self.fact(fact) for fact in answer.facts),
                "excerpt": tuple(self.text(line)[:MAX_QUOTE] for line in answer.excerpt),
                "note": self.text(answer.note),
            }
        )

    def incident(self, incident: Incident) -> Incident:
        """Names stay comparable; free text and labels are masked."""
        return incident.model_copy(
            update={
                "id": self.identifier(incident.id),
                "title": self.text(incident.title),
                "question": self.text(incident.question),
                "services": tuple(map(self.identifier, incident.services)),
                "alerts": tuple(self._alert(alert) for alert in incident.alerts),
            }
        )

    def _alert(self, alert: Alert) -> Alert:
        return alert.model_copy(
            update={
                "service": self.identifier(alert.service),
                "metric": self.identifier(alert.metric),
                "summary": self.text(alert.summary),
                "labels": {self.identifier(name): self.text(value) for name, value in alert.labels.items()},
            }
        )

    def _masked(self, text: str, rules: Iterable[Rule]) -> str:
        if not SUSPICIOUS.search(text):
            return text
        if "\\u00" in text:
            text = ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)
        found = text
        for rule in rules:
            found = self._apply(rule, found)
        if rules is RULES:
            found = ENCODED.sub(lambda m: self._decoded(m.group(), _base64), found)
            if "%" in found:
                found = PERCENT.sub(lambda m: self._decoded(m.group(), _percent), found)
        return found

    def _apply(self, rule: Rule, text: str) -> str:
        def masked(match: "re2._Match[str]") -> str:
            whole, secret = match.group(), match.group(rule.group)
            if not secret or PLACEHOLDER in secret or not rule.is_secret(secret):
                return str(whole)
            start = match.start(rule.group) - match.start()
            return str(whole[:start] + self._placeholder(rule.kind, secret) + whole[start + len(secret) :])

        return str(rule.pattern.sub(masked, text))

    def _placeholder(self, kind: str, secret: str) -> str:
        mark = hmac.new(self._key, secret.encode("utf-8", "backslashreplace"), hashlib.sha256).hexdigest()[:6]
        return f"{PLACEHOLDER}{kind}:{mark}>"

    def _decoded(self, token: str, decode: Callable[[str], str]) -> str:
        """The token, or its placeholder where what it encodes holds a secret."""
        inside = decode(token)
        if not inside or not any(self._apply(rule, inside) != inside for rule in RULES):
            return token
        return self._placeholder("encoded", token)


def _base64(token: str) -> str:
    """What a long token encodes, where that is readable text."""
    if PLACEHOLDER in token or all(c in "0123456789abcdefABCDEF-" for c in token):
        return ""
    padded = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    text = raw.decode("ascii", "ignore")
    return text if len(text) >= 0.9 * len(raw) and text.isprintable() else ""


def _percent(token: str) -> str:
    found = unquote(token, errors="replace")
    return "" if found == token else found
