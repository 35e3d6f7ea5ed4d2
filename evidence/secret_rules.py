"""What a secret looks like: a table of RE2 patterns, read once. No pattern can be made to run long by its input."""

# ruff: noqa: E501  # one pattern stands on one line

import re
from collections.abc import Callable
from typing import NamedTuple

import re2

PLACEHOLDER = "<secret:"

_NOT_SECRET = frozenset(
    [
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "empty",
        "expired",
        "invalid",
        "missing",
        "required",
        "incorrect",
        "failed",
        "rejected",
        "revoked",
        "denied",
        "unknown",
        "not",
        "is",
        "was",
        "has",
        "for",
        "the",
        "and",
        "or",
        "from",
        "string",
        "value",
        "changed",
        "rotated",
        "valid",
        "ok",
        "error",
        "mismatch",
        "unset",
        "default",
        "redacted",
        "hidden",
        "masked",
        "optional",
        "enabled",
        "disabled",
        "provided",
    ]
)


class Rule(NamedTuple):
    kind: str
    pattern: "re2._Regexp[str]"
    group: int = 0
    """Which part of the match is the secret."""
    is_secret: Callable[[str], bool] = lambda _: True
    """A last look at it, for what a pattern cannot say."""


def _has_value(text: str) -> bool:
    """Not a word of prose, a small number, a mask, or a reference to where the value is kept."""
    plain = text.strip("\"'").lower()
    if plain in _NOT_SECRET or plain.startswith(("${", "$(", "{{", "%(", "<")):
        return False
    return not (plain.isdecimal() and len(plain) < 5) and bool(set(plain) - set("*x.-_>"))


def _looks_random(text: str) -> bool:
    """Of upper and lower case and digits well mixed, and no path."""
    if all(c in "0123456789abcdefABCDEF" for c in text) or len(set(text)) < 16:
        return False
    words = [part for part in text.split("/") if part]
    if len(words) > 2 and all(part.isalpha() or len(part) < 4 for part in words):
        return False
    return any(c.isupper() for c in text) and any(c.islower() for c in text) and any(c.isdigit() for c in text)


def _is_card(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [d if n % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


_KEY_WORDS = (
    "password|passwd|passphrase|passwort|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|account[_-]?key|"
    "private[_-]?key|signing[_-]?key|encryption[_-]?key|auth[_-]?key|master[_-]?key|credentials?|client[_-]?secret|"
    "session[_-]?id|sessionid|jsessionid|phpsessid|connection[_-]?string|webhook[_-]?url"
)

_TABLE: tuple[tuple[str, str, int, Callable[[str], bool] | None], ...] = (
    ("private_key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\z)", 0, None),
    ("private_key", r"\bMI[IG][A-Za-z0-9+/]{30,}={0,2}", 0, None),
    ("aws_key_id", r"\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}\b", 0, None),
    ("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})", 0, None),
    ("gitlab_token", r"\bgl(?:pat|ptt|dt|rt|cbt|oas|soat|ft|imt|agent)-[A-Za-z0-9_-]{20,}", 0, None),
    ("slack_token", r"\bxox[abeoprs](?:\.[a-z]+)?-[A-Za-z0-9-]{10,}", 0, None),
    ("webhook", r"(?i)\bhooks\.slack[a-z.-]*/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{10,})", 1, None),
    ("webhook", r"(?i)\bdiscord(?:app)?\.com/api/webhooks/([0-9]+/[A-Za-z0-9_-]{20,})", 1, None),
    ("webhook", r"(?i)\b[a-z0-9-]+\.webhook\.office\.com/(\S{20,})", 1, None),
    ("google_key", r"\bAIza[0-9A-Za-z_-]{35}", 0, None),
    ("google_token", r"\bya29\.[0-9A-Za-z_-]{20,}", 0, None),
    ("api_key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}", 0, None),
    ("api_key", r"\bsk-(?:[a-z0-9]+-)*[A-Za-z0-9_-]{20,}", 0, None),
    ("api_key", r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}|dapi[0-9a-f]{32}|do[opr]_v1_[0-9a-f]{64})", 0, None),
    ("api_key", r"\b(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|key-[0-9a-f]{32}|lin_api_[A-Za-z0-9]{30,})", 0, None),
    ("api_key", r"\b(?:SK[0-9a-f]{32}|sq0[a-z]{3}-[0-9A-Za-z_-]{22,}|ATATT3[A-Za-z0-9_=-]{20,}|sbp_[0-9a-f]{40}|rubygems_[0-9a-f]{48}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|NRAK-[A-Z0-9]{27}|xapp-[0-9A-Za-z-]{20,})", 0, None),
    ("vault_token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}", 0, None),
    ("age_key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}", 0, None),
    ("bot_token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}", 0, None),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?", 0, None),
    ("url_password", r"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@\"'<>]*:([^\s@/\"'<>]+)@", 1, None),
    ("signature", r"(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature|sv_sig)=([A-Za-z0-9%/+_=-]{16,})", 1, None),
    ("auth_header", r"(?i)\b(?:proxy-)?authorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|digest|token|apikey|negotiate|aws4-hmac-sha256)\s+)?([^\s\"',;]{3,})", 1, _has_value),
    ("auth_header", r"(?i)\bbearer[ :]+([A-Za-z0-9._~+/=-]{8,})", 1, lambda t: any(c.isdigit() for c in t) or len(t) > 20),
    ("auth_header", r"(?i)\bbasic ([A-Za-z0-9+/]{12,}={0,2})", 1, lambda t: not t.isalpha() or not t.islower()),
    ("cookie", r"(?i)\b(?:set-)?cookie[\"']?\s*[:=]\s*[\"']?([A-Za-z0-9_.%-]+=[^\r\n\"']+)", 1, None),
    ("k8s_secret", r"(?i)\bkind[\"']?:\s*[\"']?Secret\b.{0,400}?\b(?:string)?data[\"']?:\s*(?:\{\s*)?[\"']?[A-Za-z0-9_.-]+[\"']?:\s*[\"']?([A-Za-z0-9+/=]{6,})", 1, _has_value),
    ("password", rf"(?i)(?:^|[^a-z0-9<])(?:[a-z0-9]+[._-])*(?:[a-z0-9]*(?:{_KEY_WORDS}))[0-9]?[\"']?\s{{0,3}}(?:=>|:=|[:=])[ \t]{{0,60}}[\"']?([^\s\"',;&}}\])]{{3,}})", 1, _has_value),
    ("password", rf"(?i)\bname[\"']?\s*[:=]\s*[\"']?[a-z0-9_.-]*(?:{_KEY_WORDS})[a-z0-9_.-]*[\"']?[,\s]+[\"']?value[\"']?\s*[:=]\s*[\"']?([^\s\"',}}]{{3,}})", 1, _has_value),
    ("password", r"(?i)(?:^|\s)(?:-u|--user|--proxy-user)[ =][\"']?[^\s:\"']+:([^\s\"']{3,})", 1, _has_value),
    ("password", r"(?i)\blogin\s+\S+\s+password\s+(\S{3,})", 1, _has_value),
    ("password", rf"(?i)--(?:[a-z]+-)*(?:{_KEY_WORDS})[ =][\"']?([^\s\"']{{3,}})", 1, _has_value),
    ("password", r"(?i)\b(?:identified by|password is|passwd is)\s+[\"']?([^\s\"']{3,})", 1, _has_value),
)  # fmt: skip

_FREE_TEXT: tuple[tuple[str, str, int, Callable[[str], bool] | None], ...] = (
    ("aws_secret", r"(?:^|[^A-Za-z0-9/+=_.-])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=_-])", 1, _looks_random),
    ("card", r"\b(?:[0-9][ -]?){12,18}[0-9]\b", 0, _is_card),
    ("email", r"\b[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b", 0, None),
)


def _rule(kind: str, pattern: str, group: int, is_secret: Callable[[str], bool] | None) -> Rule:
    compiled = re2.compile(pattern)
    return Rule(kind, compiled, group, is_secret) if is_secret else Rule(kind, compiled, group)


RULES: tuple[Rule, ...] = tuple(_rule(*row) for row in (*_TABLE, *_FREE_TEXT))
FREE_TEXT_KINDS = frozenset(row[0] for row in _FREE_TEXT)
"""Kinds that are not looked for in names, which are compared: a host or a node might be called like that."""
ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
PERCENT = re.compile(r"[^\s\"'<>]*?%[0-9A-Fa-f]{2}[^\s\"'<>]*")
ESCAPED = re.compile(r"\\u00([2-7][0-9A-Fa-f])")
_LONG, _HEX_PAIRS, _ESCAPES = len(RULES), len(RULES) + 1, len(RULES) + 2


class Hits(NamedTuple):
    """What a text may hold, told in one pass over it."""

    rules: tuple[Rule, ...]
    long_tokens: bool
    percent: bool
    escapes: bool


def _compiled() -> "re2.Set":
    found = re2.Set.SearchSet()
    for rule in RULES:
        found.Add(rule.pattern.pattern)
    for pattern in (r"[A-Za-z0-9+/_-]{24}", r"%[0-9A-Fa-f]{2}", r"\\u00[2-7][0-9A-Fa-f]"):
        found.Add(pattern)
    found.Compile()
    return found


_ALL = _compiled()


def hits(text: str) -> Hits | None:
    """None where nothing in the text needs a closer look."""
    found = _ALL.Match(text)
    if not found:
        return None
    return Hits(
        tuple(RULES[number] for number in sorted(found) if number < _LONG),
        _LONG in found, _HEX_PAIRS in found, _ESCAPES in found,
    )  # fmt: skip
