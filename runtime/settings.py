"""The only place that reads the environment: flag, then `LEADLINE_*`, then `leadline.toml`, then the default."""

import getpass
import os
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from ..contracts.errors import UsageError

FILE = "leadline.toml"


def _database() -> Path:
    return user_data_path("leadline") / "leadline.db"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without a name for its user
        return f"uid-{os.getuid()}"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="LEADLINE_", toml_file=FILE, extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    database: Path = Field(default_factory=_database)
    """The one file that keeps runs, records, events and checkpoints."""
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """How hard SQLite makes sure: NORMAL survives a killed process, FULL a power cut too."""
    model: str | None = None
    """`rules` or `ollama:NAME`; without it Ollama where it answers and has a model, else rules."""
    ollama_url: str = Field(default_factory=lambda: os.environ.get("OLLAMA_HOST", "http://127.0.0.1:11434"))
    """Where Ollama listens; OLLAMA_HOST is honoured."""
    num_ctx: int = Field(default=8192, ge=1024)
    """Context window asked of the model, in tokens; the same for every call, so that it is loaded once."""
    team: Path | None = None
    """Team file; without it the one that is shipped."""
    actions: Path | None = None
    """Catalog of actions; without it the one that is shipped, which changes nothing."""
    fresh: Path | None = None
    """Bundle that is written anew while runs go on: whether an action helped is looked for in it."""
    tenant: str = Field(default="default", min_length=1, max_length=64)
    """Whose resources actions are about; part of every command and of its idempotency key."""
    graph: str = "star@1"
    """Graph version of new runs."""
    user: str = Field(default_factory=_user)
    """Who answers approvals from here."""
    max_concurrency: int = Field(default=4, ge=1, le=64)
    """Tasks of one run at work at the same time."""
    max_tokens: int | None = Field(default=None, ge=0)
    """Model tokens of a whole run; without it the team file's."""
    max_seconds: float | None = Field(default=None, gt=0)
    """Wall-clock seconds of a run; without it the team file's."""
    max_probes: int | None = Field(default=None, ge=0)
    """Questions of each task; without it the team file's."""
    lease_seconds: float = Field(default=30.0, ge=1.0)
    """How long a run stays held by a process that does not renew; a dead process on this machine is seen at once."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is pydantic-settings'
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**flags: object) -> Settings:
    """Settings with flags that were given (not None) before everything else.

    Raises:
        UsageError: a value that does not fit, saying where it comes from.
    """
    try:
        return Settings(**{k: v for k, v in flags.items() if v is not None})  # type: ignore[arg-type]
    except ValidationError as fault:
        first = fault.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        source = f"--{name.replace('_', '-')}, LEADLINE_{name.upper()} or {FILE}"
        raise UsageError(f"setting {name!r} does not fit", why=first["msg"], hint=f"look at {source}") from fault
    except (OSError, ValueError) as fault:
        raise UsageError(f"{FILE} cannot be read", why=str(fault), hint=f"mend or remove {FILE}") from fault


def seal_process() -> None:
    """Before LangGraph is imported: checkpoints load known types only, and no tracing leaves the machine."""
    os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"):
        os.environ[name] = "false"
