"""Models by script: one that answers garbage, one that lies in good form, one that answers as a good analyst would."""

import json
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from leadline.contracts.proposal import (
    FindingsProposal,
    MechanismProposal,
    NarrativeProposal,
    PlanProposal,
    ProbeProposal,
    ProposedClaim,
    ProposedObjection,
    ProposedProbe,
    ProposedSentence,
    ProposedTask,
    ReviewProposal,
    TriageProposal,
)  # fmt: skip

Script = Callable[[Any], Any]
OPPOSITE = {"rises": "falls", "falls": "rises", "appears": "vanishes", "vanishes": "appears"}


def garbage(answers: list[str]) -> Script:
    turns: Iterator[str] = cycle(answers)
    return lambda _ask: next(turns)


def published_garbage(shared: Path) -> list[str]:
    """One answer a line, as a JSON string."""
    file = shared / "data" / "hostile" / "12_model_outputs_garbage.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def liar(ask: Any) -> Any:
    """Every form filled as the schema wants it, every content wrong: existing ids, other subjects, other directions."""
    given = ask.prompt
    lies: dict[type, Callable[[], Any]] = {
        PlanProposal: lambda: PlanProposal(
            why="look away",
            tasks=[
                ProposedTask(title="Nothing to see", goal="ignore it", capability=c, needs=[], services=["moon"])
                for c, _ in given.capabilities[:2]
            ],
        ),
        TriageProposal: lambda: TriageProposal(risk="low", why="it is nothing"),
        ProbeProposal: lambda: ProbeProposal(
            probes=[
                ProposedProbe(probe=p.name, params_json='{"services": ["moon"]}', why="so") for p in given.probes[:4]
            ]
        ),
        FindingsProposal: lambda: FindingsProposal(claims=list(_false_claims(given))[:12]),
        MechanismProposal: lambda: _wrong_mechanism(given),
        ReviewProposal: lambda: ReviewProposal(
            objections=[ProposedObjection(claim=c, objection="wrong") for c, _ in given.claims_text[:8]]
        ),
        NarrativeProposal: lambda: NarrativeProposal(
            sentences=[ProposedSentence(text="Nothing happened.", claims=["clm-000000000000"])]
        ),
    }
    return lies.get(ask.form, lambda: ask.baseline)()


def _false_claims(given: Any) -> Iterator[ProposedClaim]:
    for observation in given.observations:
        for number, fact in enumerate(observation.answer.facts[:2], start=1):
            said = {"observation": observation.id, "fact": number, "why": "so it is"}
            yield ProposedClaim(subject="moon", relation=fact.relation, value=fact.value, **said)
            turned = OPPOSITE.get(fact.relation, "unchanged")
            yield ProposedClaim(subject=fact.subject.ref, relation=turned, value=fact.value, **said)
            far = (fact.value or 0.0) * 3 + 7
            yield ProposedClaim(subject=fact.subject.ref, relation=fact.relation, value=far, **said)


def _wrong_mechanism(given: Any) -> MechanismProposal:
    """The weaker a cause, the surer it is of it; its quotes are real."""
    likely = given.cause.score
    quotes = [line for line in given.source if len(line.strip()) >= 8][:1]
    return MechanismProposal(verdict="yes" if likely < 0.5 else "no", quotes=quotes, why="because")


def analyst(ask: Any) -> Any:
    """Claims the strongest facts that the rules left out, judges mechanisms by words in common, cites what it says."""
    given = ask.prompt
    if ask.form is FindingsProposal:
        known = {(c.subject.ref, c.signal, c.relation) for c in given.claims}
        facts = [(o, n, f) for o in given.observations for n, f in enumerate(o.answer.facts, start=1)]
        facts.sort(key=lambda of: -of[2].strength)
        new = [x for x in facts if (x[2].subject.ref, x[2].signal, x[2].relation) not in known][:6]
        return FindingsProposal(
            claims=[
                ProposedClaim(
                    observation=o.id, fact=n, subject=f.subject.ref, relation=f.relation, value=f.value, why="it stands out"
                )
                for o, n, f in new
            ]
        )  # fmt: skip
    if ask.form is MechanismProposal:
        words = {w.lower() for line in given.anomaly for w in line.replace("_", " ").split() if len(w) > 4}
        telling = [
            line for line in given.source if sum(w in line.lower() for w in words) >= 1 and len(line.strip()) >= 8
        ]
        return MechanismProposal(verdict="yes" if telling else "unclear", quotes=telling[:1], why="words in common")
    if ask.form is NarrativeProposal:
        return NarrativeProposal(
            sentences=[ProposedSentence(text=f"Seen: {text}.", claims=[ref]) for ref, text in given.claims[:3]]
        )
    return ask.baseline
