"""Every probe with parameters that make sense for any bundle."""

from typing import Any

from leadline.contracts.evidence import Answer
from leadline.evidence import OpenedBundle
from leadline.evidence.probes.registry import all_probes
from tests.unit.evidence.asking import ask

NEEDED: dict[str, dict[str, Any]] = {
    "metric_onset": {"metric": "latency_ms"},
    "metric_comovement": {"metric": "latency_ms"},
    "log_first_seen": {"pattern": "(?i)error|fail|time"},
    "log_search": {"terms": ["error", "time", "token"]},
    "document_search": {"terms": ["error", "time", "token"]},
    "deepest_anomalous_callee": {"services": ["web", "cart", "db", "a", "checkout"]},
}


async def ask_everything(bundle: OpenedBundle) -> dict[str, Answer]:
    """Probes that need more than this are asked without, which is `denied`: that must not raise either."""
    return {name: await ask(bundle, name, **NEEDED.get(name, {})) for name in all_probes()}
