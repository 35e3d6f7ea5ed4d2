"""A recorded run on the code as it is now, with the answers that its model gave then."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..adapters.models.rules import RulesProposer
from ..adapters.models.scripted import ScriptedProposer
from ..contracts.base import RunId
from ..contracts.errors import ModelError, UsageError
from ..contracts.ports import Ask, Clock, Ledger, LedgerReader, Proposer
from ..contracts.proposal import FORMS, Proposal
from ..contracts.proposal_record import ProposalRecord
from ..contracts.run import RunConfig
from ..runtime.outcome import StartRequest
from ..runtime.service import open_service
from ..runtime.settings import Settings
from ..runtime.wiring import Parts
from .decisions import Parting, partings
from .records import read_records

BY_NAME = {form.__name__: form for form in FORMS}


class Replay(NamedTuple):
    before: RunId
    after: RunId
    partings: tuple[Parting, ...]
    """Where the decisions part; empty: the run would go the same way today."""
    answered: int
    """Questions that got a recorded answer."""
    unanswered: int
    """Questions that the recorded run was not asked; the rules answered them."""


class _Recorded(NamedTuple):
    record: ProposalRecord
    task_text: bytes


class Answers:
    """What the model said, question by question; each is given out once."""

    def __init__(self, recorded: Sequence[_Recorded]) -> None:
        self._left = list(recorded)
        self.answered = 0
        self.unanswered = 0

    def __call__(self, ask: Ask[Any]) -> Proposal | ModelError:
        """The answer to the same question; where its words have changed, to the next of the same agent and form."""
        kin = [
            one
            for one in self._left
            if (one.record.node, one.record.form, one.record.agent) == (ask.node, ask.form.__name__, ask.agent)
        ]
        text = ask.prompt.render().task.encode("utf-8", "backslashreplace")
        found = next((one for one in kin if one.task_text == text), kin[0] if kin else None)
        if found is None:
            self.unanswered += 1
            return ModelError("the recorded run was not asked this", kind="down")
        self._left.remove(found)
        self.answered += 1
        if found.record.origin == "rules":
            return ModelError(found.record.why or "the rules answered then, too", kind=found.record.degraded or "down")
        return BY_NAME[found.record.form].model_validate(found.record.answer)


async def replay(settings: Settings, run_id: str, *, graph: str = "", bundle: Path | None = None) -> Replay:
    """Start a new run of the same bundle, and say where its decisions part from the recorded ones.

    Raises:
        UsageError: the run is not over, or its bundle has moved (name it with `bundle`) or changed.
    """
    async with open_service(settings) as service:
        run = await service.store.run(RunId(run_id))
        if run.state != "concluded":
            raise UsageError(f"run {run.run_id} is {run.state}, so there is nothing whole to replay")
        reader = service.store.reader(run.run_id)
        before, recorded = await read_records(reader), await _recorded(reader)
        used = bundle or Path(run.config.bundle_path)
        if not used.exists():
            raise UsageError(f"the bundle of run {run.run_id} is gone", why=str(used), hint="name it with --bundle")

    answers = Answers(recorded)

    async def make_proposer(config: RunConfig, ledger: Ledger, clock: Clock) -> Proposer:
        if not recorded:
            return RulesProposer()
        return ScriptedProposer(
            answers, ledger=ledger, clock=clock, budget=config.team.budget, num_ctx=run.config.num_ctx
        )

    async with open_service(settings, Parts(make_proposer=make_proposer)) as service:
        request = StartRequest(bundle=used, graph=graph or run.config.graph_version, model="rules", evaluation=True)
        outcome = await service.start(request)
        if outcome.run.config.bundle_digest != run.config.bundle_digest:
            raise UsageError(f"the bundle of run {run.run_id} has changed", why=str(used))
        after = await read_records(service.store.reader(outcome.run.run_id))
    return Replay(run.run_id, outcome.run.run_id, partings(before, after), answers.answered, answers.unanswered)


async def _recorded(reader: LedgerReader) -> list[_Recorded]:
    return [_Recorded(record, await reader.artifact(record.task) or b"") for record in await reader.all(ProposalRecord)]
