"""Which commands there are, in the order of the help."""

from .lazy import Entry

SECTIONS: dict[str, dict[str, Entry]] = {
    "Investigate": {
        "demo": Entry("demo", "Investigate the incident that is shipped with the product."),
        "investigate": Entry("investigate", "Investigate a bundle and report what broke it."),
        "resume": Entry("resume", "Go on with a run, or answer what it waits for."),
        "retry": Entry("retry", "Try again what failed in a run; the failures stay on record."),
        "cancel": Entry("cancel", "End a run without a report."),
    },
    "Look": {
        "runs": Entry("runs", "List the runs, newest first."),
        "show": Entry("show", "Show one run: its state, its tasks, and why who did what."),
        "report": Entry("report", "Print a run's report."),
        "evidence": Entry("evidence", "Show a run's observations; ask one again and compare."),
        "decisions": Entry("decisions", "Show what was decided in a run, by which authority."),
        "arbitrate": Entry("arbitrate", "Show a ruling; say whether it would still stand."),
        "archive": Entry("archive", "Write a run that is over to one file."),
        "events": Entry("events", "Show what happened in a run, in order."),
    },
    "Act": {
        "actions": Entry("actions", "Show a run's actions, and what became of each."),
        "approve": Entry("approve", "Approve an action, from any place, until it expires."),
        "reject": Entry("reject", "Reject an action: it is not done."),
        "reconcile": Entry("reconcile", "Find out how actions went whose outcome is not known."),
        "undo": Entry("undo", "Ask for the undo of an action that succeeded."),
    },
    "Measure": {
        "eval": Entry("eval", "Run data sets against graph versions, compare what came of it."),
    },
    "Set up": {
        "bundle": Entry("bundle", "Check, pack or import telemetry bundles."),
        "graph": Entry("graph", "Show the graph versions, or draw one."),
        "agents": Entry("agents", "Show who is in the team, and what each may do."),
        "doctor": Entry("doctor", "Check this machine: store, model, team, and what to mend."),
        "help-exit-codes": Entry("help_exit_codes", "Say what each exit code means."),
    },
}
