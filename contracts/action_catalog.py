"""What may be done at all: kinds of action, where they are carried out, and the limits of one run.

The catalog is the only source of effects, risks, targets and approvers. It is read from `actions.yaml`
(docs/actions.md); its version is the digest of its content, and approvals are bound to that.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from .base import Contract, Digest, digest_of
from .task import Risk

Effect = Literal["read", "reversible_write", "irreversible_write"]
ArgumentType = Literal["string", "integer", "number", "boolean"]
ArgumentSource = Literal["", "cause", "cause_service"]


class ArgumentSpec(Contract):
    """One argument of a kind; what is not described does not exist."""

    type: ArgumentType = "string"
    description: str = ""
    required: bool = True
    default: str | int | float | bool | None = None
    """Stands where an optional argument is not given; None leaves it out."""
    pattern: str = r"[A-Za-z0-9][A-Za-z0-9._:@/+-]*"
    """RE2; the whole text must match. The default holds no blank, no quote, nothing that a shell reads."""
    max_length: int = Field(default=128, ge=1, le=4096)
    choices: tuple[str | int | float, ...] = ()
    """The only values, where they are few."""
    minimum: float | None = None
    maximum: float | None = None
    source: ArgumentSource = ""
    """Where the rules take it from when they propose: the first cause's reference or service."""


class ActionLimits(Contract):
    """What one run may do in all; several approved actions are checked against it together."""

    actions: int = Field(default=3, ge=0)
    writes: int = Field(default=2, ge=0)
    irreversible: int = Field(default=0, ge=0)
    risk_points: int = Field(default=6, ge=0)
    """A low risk counts 1, a medium one 2, a high one 4."""


class Polling(Contract):
    every_seconds: float = Field(default=2.0, gt=0)
    at_most: int = Field(default=60, ge=1)
    """So often, then the outcome counts as unknown."""


class Compensation(Contract):
    """What undoes a succeeded action."""

    kind: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Values, or `{name}` for an argument of what is undone."""


# --- how it is carried out --------------------------------------------------------------------------------------------
class CommandOperation(Contract):
    """A program with an argument list. No shell ever sees it; `{name}` stands inside one argument and stays there."""

    type: Literal["command"] = "command"
    argv: tuple[str, ...] = Field(min_length=1)
    dry_argv: tuple[str, ...] = ()
    """Shows what would happen and changes nothing; exit 0 says that it would work."""
    outcome_argv: tuple[str, ...] = ()
    """Asks whether it happened: exit 0 yes, 1 no, anything else says nothing."""
    not_done_codes: tuple[int, ...] = ()
    """Exit codes of `argv` that assure that nothing was changed; any other that is not 0 is an unknown outcome."""


class HttpOperation(Contract):
    type: Literal["http"] = "http"
    path: str = "/actions"
    """Below the target's URL; `{name}` is percent-encoded."""
    status_path: str = ""
    """Where to ask how it went: may hold `{reference}` and `{key}`."""
    dry_path: str = ""
    outcome_path: str = ""
    """Where the state itself can be asked: answers `done` or `not_done`."""
    body: dict[str, JsonValue] = Field(default_factory=dict)
    """Fields besides the standard ones; `{name}` in strings."""


class KubernetesOperation(Contract):
    """A merge patch on one object, by its resource version."""

    type: Literal["kubernetes"] = "kubernetes"
    path: str
    """Of the object: `/apis/apps/v1/namespaces/{namespace}/deployments/{target}`."""
    patch: dict[str, JsonValue]
    """A string that is just `{name}` takes the argument's own type."""


Operation = Annotated[CommandOperation | HttpOperation | KubernetesOperation, Field(discriminator="type")]


class ActionSpec(Contract):
    """One kind of action."""

    kind: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    title: str
    description: str = ""
    effect: Effect
    risk: Risk
    target: str = "dry-run"
    """Name of the catalog's target that carries it out."""
    resource_kind: str = "service"
    resources: tuple[str, ...] = ("*",)
    """Names that it may be done to, with `*`; they must also be known to the evidence."""
    arguments: dict[str, ArgumentSpec] = Field(default_factory=dict)
    remedies: tuple[str, ...] = ()
    """Remedies of the cause ranking that it is the answer to."""
    approvers: tuple[str, ...] = ("*",)
    """Who may approve it; `*` is anyone who may answer for this database."""
    approval_seconds: float = Field(default=3600.0, gt=0)
    """How long an approval may be given and used."""
    dry_run: Literal["required", "wanted", "none"] = "wanted"
    """`required`: without a good dry run nobody is asked."""
    via: Operation | None = None
    """How its target does it; needed by every target but `dry-run`."""
    compensation: Compensation | None = None
    per_run: int = Field(default=1, ge=1)
    call_seconds: float = Field(default=30.0, gt=0)
    """How long one call may take to be answered."""
    attempts: int = Field(default=2, ge=1, le=5)
    """Tries where it is certain that nothing reached the target."""
    polling: Polling = Polling()
    settle_seconds: float = Field(default=30.0, ge=0, le=3600)
    """How long after a call without an answer its effect may still come; before that, its absence says nothing."""
    check_after_seconds: float = Field(default=60.0, ge=0, le=3600)
    """How long to wait, where there is a live source, before the symptom is looked for again."""


# --- where it is carried out ------------------------------------------------------------------------------------------
class DryRunTarget(Contract):
    """Carries out nothing, and says so."""

    type: Literal["dry-run"] = "dry-run"


class CommandTarget(Contract):
    type: Literal["command"]
    search_path: tuple[str, ...] = ("/usr/local/bin", "/usr/bin", "/bin")
    """Where programs are looked for; the environment's PATH is not read."""
    environment: dict[str, str] = Field(default_factory=dict)
    """All that the program sees besides PATH and the command's ids."""


class HttpTarget(Contract):
    type: Literal["http"]
    url: str
    networks: tuple[str, ...] = ()
    """Networks in CIDR form that it may be in besides the public internet, `10.0.0.0/8`."""
    secret_file: str = ""
    """File with the shared secret (`whsec_…`) that signs requests, replies and callbacks."""
    signed_replies: bool = True
    """With a secret: a reply without a good signature is no receipt."""
    token_file: str = ""
    """File with a bearer token."""
    ca_file: str = ""


class KubernetesTarget(Contract):
    type: Literal["kubernetes"]
    url: str
    networks: tuple[str, ...] = ()
    token_file: str = ""
    ca_file: str = ""


TargetSpec = Annotated[DryRunTarget | CommandTarget | HttpTarget | KubernetesTarget, Field(discriminator="type")]


class ActionCatalog(Contract):
    name: str
    environment: str = Field(default="production", pattern=r"^[a-z][a-z0-9-]{0,63}$")
    """What the resources belong to; part of every command's target."""
    limits: ActionLimits = ActionLimits()
    targets: dict[str, TargetSpec] = {"dry-run": DryRunTarget()}  # noqa: RUF012  pydantic copies it
    kinds: tuple[ActionSpec, ...] = Field(min_length=1)

    @property
    def version(self) -> Digest:
        """Of its whole content: a catalog that changed is another policy."""
        return digest_of(self.model_dump(mode="json"))

    def spec(self, kind: str) -> ActionSpec | None:
        return next((s for s in self.kinds if s.kind == kind), None)
