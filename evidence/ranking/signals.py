"""What a signal is worth: golden signals against causes, trouble against routine."""

import re

from ...contracts.claim import Statement
from ..diffs.text import words

_GOLDEN = re.compile(
    r"\b(rate$|p\d\d|latency|duration|response time|error|errors|5xx|4xx|success|availability|"
    r"requests?|rps|qps|throughput)\b"
)
_SPECIFIC = re.compile(
    r"\b(db|sql|query|quer|pool|cache|queue|gc|disk|cpu|memory|dns|tls|cert|lock|retry|"
    r"retries|cancel|outbound|kafka|lookup|validation|deserialize|panic|table|"
    r"connection|conn|thread|heap|fd|auth|token|servfail|rows|egress|provider)"
)
_TRAFFIC = re.compile(
    r"\b(requests?|rps|qps|throughput|traffic|sessions?|active users|ingress|calls?|orders?|messages?|events?)\b"
)
_NOT_TRAFFIC = re.compile(
    r"\b(error|errors|5xx|4xx|fail|failed|failure|latency|duration|p ?\d\d|ms\b|seconds|cancel|timeout|"
    r"rejected|age|lag|ratio|db|sql|query|queries|cache|retry|retries|size|bytes|in flight|"
    r"inflight|pending|concurren|queue|queued|waiting|rejected|dropped|restarts?)"
)
_DEMAND = re.compile(
    r"\b(connections?|sessions?|transactions?|quer(y|ies)|commands?|operations?|ops|statements|clients?)\b"
)
_WIRE = re.compile(r"\b(network|net)\b.*\b(transmit|receive|received|sent|rx|tx)\b.*\b(bytes|packets)\b")
_OUTGOING = re.compile(r"\b(client|outbound|outgoing|egress)\b")
_NOT_DEMAND = re.compile(
    r"\b(error|errors|fail|failed|latency|duration|p ?\d\d|time|wait|lock|rejected|refused|timeout|pool|slow|"
    r"max|ms|seconds)\b"
)
_RESOURCE = re.compile(
    r"\b(cpu|memory|mem|heap|rss|disk|iops|io|network|socket|fd|throttl|load|gc|oom|restart|"
    r"restarts|swap|inode|bandwidth)"
)
_BAD = re.compile(
    r"(?i)error|fail|exception|panic|fatal|timeout|timed out|refused|denied|unavailable|"
    r"not found|does not exist|missing|invalid|slow|exceed|abort|reject|exhaust|"
    r"unable|cannot|could ?n.t|can.t|lost|expired|out of|crash|killed|unhealthy|degraded|"
    r"down\b|retry|reset|cancel|no such|unknown|overload|throttl|backlog|stale|"
    r"miss\b|rising|redeliver|malformed|corrupt|mismatch|conflict|deadlock|evict|pressure|"
    r"not (?:defined|set|configured)|undefined|\bunset\b|defaults? (?:value )?used|using (?:the )?default|"
    r"full\b|no space|warn|waited|fallback|\b[45]\d\d\b|unauthori|forbidden|skew|drift|partition|misbehav|"
    r"servfail|nxdomain"
)
_LATENCY = re.compile(r"\b(latency|duration|p ?\d+|ms|millis|elapsed|age|took|response time|lag|delay|quantile|time)\b")
_OFFSET = re.compile(r"\b(offset|skew|drift|clock|replica\w*)\b")
_COUNTDOWN = re.compile(
    r"\b(uptime|countdown|until|expir\w*|not after|days|(remaining|left) (time|seconds|days|hours)|"
    r"(time|seconds|days|hours) (remaining|left)|(cert\w*|token|secret|key|lease|snapshot|backup|process) age|"
    r"since (start|boot|renewal|rotation))\b"
)
_ROUTINE = re.compile(
    r"(?i)feature flag|\benabled\b|started?\b|starting|listening|healthy\b|handled request|"
    r"completed|succe|deployed|rollout|rotat"
)


LOUD = 0.66


def metric_words(name: str) -> str:
    """`db_pool.maxConns` as `db pool max conns`, for patterns."""
    return " ".join(words(name))


def is_golden(name: str) -> bool:
    text = metric_words(name)
    return _GOLDEN.search(text) is not None and _SPECIFIC.search(text) is None


def is_traffic(name: str) -> bool:
    """Whether a metric counts what is asked of a service, rather than how it does."""
    text = metric_words(name)
    return _TRAFFIC.search(text) is not None and _NOT_TRAFFIC.search(text) is None


def is_latency(name: str) -> bool:
    """Whether a metric says how long something takes or waits."""
    text = metric_words(name)
    return _LATENCY.search(text) is not None and _OFFSET.search(text) is None


def is_countdown(name: str) -> bool:
    """Whether a metric moves by the clock alone: the age of a thing, the time that is left to it."""
    return _COUNTDOWN.search(metric_words(name)) is not None


def is_demand(name: str) -> bool:
    """Whether a metric counts what others ask of a service: requests, connections, queries, bytes on the wire."""
    text = metric_words(name)
    if is_traffic(name) or _WIRE.search(text) is not None:
        return True
    return _DEMAND.search(text) is not None and _NOT_DEMAND.search(text) is None


def is_outgoing(name: str) -> bool:
    """Whether a golden signal was measured on the calls that a service makes: it tells of those that it calls."""
    return is_golden(name) and _OUTGOING.search(metric_words(name)) is not None


def is_resource(name: str) -> bool:
    return _RESOURCE.search(metric_words(name)) is not None


def is_bad_text(text: str) -> bool:
    return _BAD.search(text) is not None and not (
        _ROUTINE.search(text) and not re.search(r"(?i)error|fail|panic", text)
    )


def is_trouble(claim: Statement) -> bool:
    """Whether a claim tells of something that goes wrong, rather than of routine, order or what did not change."""
    source = claim.signal.partition(":")[0]
    if claim.relation in {"unchanged", "calls", "precedes", "touches", "sets", "matches"} or source in {
        "change",
        "topology",
    }:
        return source == "document" and claim.relation == "matches"
    if claim.signal == "log:template":
        text = f"{claim.object} {claim.quote}"
        return claim.relation in {"appears", "rises", "fails"} and (is_bad_text(text) or _loud(claim, text))
    return True


def _loud(claim: Statement, text: str) -> bool:
    """Whether a line is new and of a severity that needs no words: only ERROR and FATAL lines weigh as much."""
    return claim.strength >= LOUD and _ROUTINE.search(text) is None


def family_of(source: str, name: str) -> str:
    """Claims of one family are one piece of evidence seen several times."""
    if source == "path" or (source, name) == ("trace", "course"):
        return "path" if source == "path" else "course"
    if source != "metric":
        return "traffic" if (source, name) == ("trace", "rate") else source
    return "resource" if is_resource(name) else "traffic" if is_traffic(name) else "metric"
