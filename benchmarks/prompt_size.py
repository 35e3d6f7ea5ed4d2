"""How much a run sends to the model, and how much of that an earlier prompt had sent already.

A local server keeps the beginning of the last prompts; what is shared with one of them costs next to nothing. The
shipped incident is investigated with a scripted model that answers as the rules do, so that every question is put.
"""

import asyncio
import tempfile
from pathlib import Path

from leadline.adapters.models.scripted import ScriptedProposer
from leadline.contracts.ports import Clock, Ledger, Proposer
from leadline.contracts.run import RunConfig
from leadline.examples import DEMO
from leadline.runtime.outcome import StartRequest
from leadline.runtime.service import open_service
from leadline.runtime.settings import load_settings
from leadline.runtime.wiring import Parts

from .table import Figure


async def _agreeing(_config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
    return ScriptedProposer({}, ledger=ledger, clock=clock)


async def measure_async(folder: Path) -> list[Figure]:
    settings = load_settings(database=folder / "runs.db", model="rules", user="bench")
    async with open_service(settings, Parts(make_proposer=_agreeing)) as service:
        outcome = await service.start(StartRequest(bundle=DEMO))
    if outcome.report is None:
        raise RuntimeError(f"the run ended with {outcome.exit_code} and no report")
    used = outcome.report.usage
    return [
        Figure("questions to the model", used.model_calls, "calls"),
        Figure("characters sent", used.prompt_chars, "characters"),
        Figure("of these shared with an earlier prompt", used.shared_chars, "characters"),
        Figure("shared", 100 * used.shared_chars / used.prompt_chars, "percent"),
        Figure("a question", used.prompt_chars / used.model_calls, "characters"),
    ]


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(measure_async(Path(folder)))
