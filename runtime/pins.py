"""What a run was started on, and whether it still is that."""

from ..contracts.errors import StaleRun
from ..contracts.run import Run, RunConfig
from ..graph.versions import VERSIONS, structure_hash
from ..prompts.catalog import prompt_hashes


def refuse_stale(run: Run, bundle_digest: str) -> None:
    """Raise `StaleRun` where resuming would go on with something else than the run began with."""
    config = run.config
    why = _difference(config, bundle_digest)
    if why:
        raise StaleRun(
            f"run {run.run_id} cannot be resumed as it was started",
            why=why,
            hint=f"install the version that started it, or start anew: leadline investigate {config.bundle_path}",
        )


def _difference(config: RunConfig, bundle_digest: str) -> str:
    if config.graph_version not in VERSIONS:
        return f"this build has no graph version {config.graph_version!r}"
    if structure_hash(config.graph_version) != config.structure_hash:
        return f"graph {config.graph_version} is wired differently in this build"
    changed = sorted(name for name, digest in prompt_hashes().items() if config.prompt_hashes.get(name) != digest)
    if changed and config.model != "rules":
        return f"prompts changed: {', '.join(changed)}"
    if bundle_digest != config.bundle_digest:
        return f"the bundle at {config.bundle_path} changed: {bundle_digest[:12]} now, {config.bundle_digest[:12]} then"
    return ""
