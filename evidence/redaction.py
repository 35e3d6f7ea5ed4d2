"""The one boundary: secrets become typed placeholders before anything is digested, stored, shown or sent.

`<secret:KIND:HASH>`: equal secrets of a bundle get equal placeholders, by a keyed hash that the bundle's digest alone
does not give away. Copies are masked, files never. Not caught: a secret that is split over lines, or one that follows
no rule in `secret_rules.py` and stands alone as a word.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from urllib.parse import unquote

import re2

from ..contracts.claim import Fact, Subject
from ..contracts.evidence import Answer
from ..contracts.incident import Alert, Incident
from .secret_rules import ENCODED, ESCAPED, FREE_TEXT_KINDS, PERCENT, PLACEHOLDER, Rule, hits
from .visible import visible

MAX_QUOTE = 400


class Redactor:
    """Masks the texts of one bundle."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def text(self, text: str) -> str:
        """One line, secrets masked, nothing hidden in it."""
        return visible(self._masked(text))

    def identifier(self, text: str) -> str:
        """A name: only what can be nothing but a secret is masked, since names are compared."""
        return visible(self._masked(text, names=True))

    def lines(self, text: str) -> list[str]:
        """A longer text line by line; a secret over several lines, as a PEM block is, is masked as a whole."""
        return [visible(line) for line in self._masked(text).splitlines()]

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

    def _masked(self, text: str, *, names: bool = False) -> str:
        found = hits(text)
        if found is None:
            return text
        if found.escapes:
            text = ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)
            found = hits(text) or found
        for rule in found.rules:
            if not (names and rule.kind in FREE_TEXT_KINDS):
                text = self._apply(rule, text)
        if found.long_tokens and not names:
            text = ENCODED.sub(lambda m: self._decoded(m.group(), _base64), text)
        if found.percent and not names:
            text = PERCENT.sub(lambda m: self._decoded(m.group(), _percent), text)
        return text

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
        found = hits(inside) if inside else None
        if found is None or not any(self._apply(rule, inside) != inside for rule in found.rules):
            return token
        return self._placeholder("encoded", token)


def _base64(token: str) -> str:
    """What a long token encodes, where that is readable text."""
    if not token.strip("0123456789abcdefABCDEF-"):
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
