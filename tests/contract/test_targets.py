"""What every target of actions guarantees, and what code makes of one that lies."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from leadline.adapters.clock import SystemClock
from leadline.adapters.targets.opening import make_target
from leadline.contracts.action_catalog import (
    CommandOperation,
    CommandTarget,
    DryRunTarget,
    HttpOperation,
    HttpTarget,
    KubernetesOperation,
    KubernetesTarget,
)
from leadline.contracts.errors import CatalogError
from leadline.contracts.ports import ActionCall, ActionTarget, TargetReply
from leadline.rules.actions.receipts import judge
from leadline.rules.actions.settling import settle
from tests.doubles import kubernetes, lying_program, lying_target
from tests.doubles.calls import NOW, attempt_of, call_for, spec_for
from tests.doubles.kubernetes import KubernetesDouble
from tests.doubles.lying_target import DOES_NOTHING, ENDS, SECRET, LyingServer, LyingTarget

LOCAL = ("127.0.0.0/8",)
PROGRAM_LIES = ("honest", "late", "drops", "loses_key", "broken", "refuses")
CASES = [
    *(("memory", lie) for lie in lying_target.BEHAVIOURS),
    *(("http", lie) for lie in lying_target.BEHAVIOURS),
    *(("program", lie) for lie in PROGRAM_LIES),
    *(("kubernetes", lie) for lie in kubernetes.BEHAVIOURS),
]


@dataclass
class Bench:
    """One target, the call that it is given, and what really happened."""

    target: ActionTarget
    call: ActionCall
    ran: Callable[[], int]


def web_bench(server: LyingServer, lie: str, folder: Path, stack: AsyncExitStack, **more: Any) -> Bench:
    secret = folder / "secret"
    secret.write_text(f"whsec_{SECRET}\n")
    given = {"type": "http", "url": f"{server.url}/{lie}", "networks": LOCAL, "secret_file": str(secret)} | more
    via = HttpOperation(status_path="/status/{key}", dry_path="/dry-run", outcome_path="/outcome/{key}")
    target = make_target("web", HttpTarget(**given), SystemClock())
    stack.push_async_callback(target.close)
    world = server.worlds[lie]
    return Bench(target, call_for(spec_for(via)), lambda: sum(world.runs.values()))


@pytest.fixture(scope="module")
def server() -> Any:
    with LyingServer(late_seconds=1.0) as running:
        yield running


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Callable[[str, str], Bench]]:
    async with AsyncExitStack() as stack:

        def build(kind: str, lie: str) -> Bench:
            if kind == "memory":
                lying = LyingTarget(lie)
                spec = spec_for()
                return Bench(lying, call_for(spec), lambda: sum(lying.world.runs.values()))
            if kind == "http":
                own = stack.enter_context(LyingServer(late_seconds=1.0))
                return web_bench(own, lie, tmp_path, stack)
            if kind == "program":
                return _program(lie, tmp_path)
            double = stack.enter_context(KubernetesDouble(lie))
            target = make_target(
                "k", KubernetesTarget(type="kubernetes", url=double.url, networks=LOCAL), SystemClock()
            )
            stack.push_async_callback(target.close)
            via = KubernetesOperation(path="/apis/d/{target}", patch={"spec": {"replicas": "{replicas}"}})
            call = replace(call_for(spec_for(via)), precondition="41")
            return Bench(target, call, lambda: double.patches)

        yield build


def _program(lie: str, folder: Path) -> Bench:
    state = folder / "state"
    base = (sys.executable, "-S", lying_program.__file__, lie)
    via = CommandOperation(
        argv=(*base, "do", str(state), "{change}"), dry_argv=(*base, "dry", str(state), "{change}"),
        outcome_argv=(*base, "outcome", str(state), "{change}"), not_done_codes=(10,),
    )  # fmt: skip
    target = make_target("p", CommandTarget(type="command"), SystemClock())
    spec = spec_for(via, call_seconds=8.0 if lie != "late" else 2.0)
    return Bench(target, call_for(spec), lambda: len(state.read_text().splitlines()) if state.exists() else 0)


@pytest.mark.parametrize(("kind", "lie"), CASES, ids=lambda v: v)
async def test_a_receipt_never_says_what_is_not_so(make: Any, kind: str, lie: str) -> None:
    """`succeeded` only of what was done, `failed` only of what was not; one call, whatever comes back."""
    bench = make(kind, lie)
    try:
        async with asyncio.timeout(bench.call.spec.call_seconds + 1):
            reply = await bench.target.execute(bench.call)
    except TimeoutError:
        reply = TargetReply("unknown")
    receipt = judge(reply, bench.call.command, attempt_of(bench.call), source="response", at=NOW)
    assert receipt.delivered
    if receipt.outcome == "succeeded":
        assert bench.ran() >= 1
    if receipt.outcome == "failed":
        assert bench.ran() == 0
    assert bench.ran() == (0 if lie in DOES_NOTHING else 2 if lie == "twice" else 1)
    assert (receipt.outcome == "unknown") == (lie in {"late", "drops", "loses_key", "other", "forges", "broken"})


@pytest.mark.parametrize(("kind", "lie"), CASES, ids=lambda v: v)
async def test_reconciling_asks_and_changes_nothing(make: Any, kind: str, lie: str) -> None:
    bench = make(kind, lie)
    try:
        async with asyncio.timeout(bench.call.spec.call_seconds + 1):
            await bench.target.execute(bench.call)
    except TimeoutError:
        pass
    ran = bench.ran()
    for _ in range(6):
        reply = await bench.target.status(bench.call)
        status = judge(reply, bench.call.command, attempt_of(bench.call), source="reconciliation", at=NOW)
        if status.outcome != "pending":
            break
    end = settle(status, await bench.target.outcome(bench.call))
    assert bench.ran() == ran
    assert end.to == ENDS[lie]


@pytest.mark.parametrize("kind", ["memory", "http", "program", "kubernetes"])
async def test_a_dry_run_changes_nothing_and_says_what_would_happen(make: Any, kind: str) -> None:
    bench = make(kind, "honest")
    reply = await bench.target.dry_run(bench.call)
    assert (reply.outcome, bench.ran()) == ("would_work", 0)
    assert reply.preview


async def test_the_default_target_says_that_it_pretends() -> None:
    target = make_target("dry-run", DryRunTarget(), SystemClock())
    call = call_for(spec_for())
    receipt = judge(await target.execute(call), call.command, attempt_of(call), source="response", at=NOW)
    assert (receipt.outcome, receipt.simulated) == ("succeeded", True)
    assert "nothing was changed" in receipt.detail


class TestHttp:
    @pytest.fixture
    async def honest(self, server: LyingServer, tmp_path: Path) -> AsyncIterator[Bench]:
        async with AsyncExitStack() as stack:
            yield web_bench(server, "honest", tmp_path, stack)

    async def test_what_is_sent(self, server: LyingServer, honest: Bench) -> None:
        await honest.target.execute(replace(honest.call, precondition="v7"))
        sent = server.requests[-1]
        headers = {k.lower(): v for k, v in sent["headers"].items()}
        command = honest.call.command
        assert headers["idempotency-key"] == sent["body"]["idempotency_key"] == command.idempotency_key
        assert (headers["if-match"], headers["leadline-epoch"]) == ("v7", "3")
        assert headers["webhook-signature"].startswith("v1,")
        assert "authorization" not in headers
        assert sent["body"]["fingerprint"] == command.fingerprint

    async def test_the_same_key_gets_the_first_answer_byte_for_byte(self, honest: Bench) -> None:
        one, two = await honest.target.execute(honest.call), await honest.target.execute(honest.call)
        assert one.body == two.body

    async def test_an_address_inside_that_the_catalog_does_not_name_is_never_called(
        self, server: LyingServer, tmp_path: Path
    ) -> None:
        seen = len(server.requests)
        async with AsyncExitStack() as stack:
            bench = web_bench(server, "honest", tmp_path, stack, networks=())
            reply = await bench.target.execute(bench.call)
        assert (reply.outcome, reply.delivered) == ("failed", False)
        assert "neither public nor in the target's networks" in reply.detail
        assert len(server.requests) == seen

    async def test_nobody_listens(self, tmp_path: Path, server: LyingServer) -> None:
        async with AsyncExitStack() as stack:
            bench = web_bench(server, "honest", tmp_path, stack, url="http://127.0.0.1:1")
            reply = await bench.target.execute(bench.call)
            assert (reply.outcome, reply.delivered) == ("failed", False)
            assert (await bench.target.status(bench.call)).outcome == "unknown"
            assert (await bench.target.outcome(bench.call)).outcome == "unclear"
            assert (await bench.target.dry_run(bench.call)).outcome == "not_available"

    async def test_the_environments_proxy_is_not_used(self, honest: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
        assert (await honest.target.execute(honest.call)).outcome == "succeeded"

    async def test_a_value_stays_inside_its_part_of_the_path(self, server: LyingServer, tmp_path: Path) -> None:
        async with AsyncExitStack() as stack:
            bench = web_bench(server, "honest", tmp_path, stack)
            via = HttpOperation(path="/actions-{change}")
            call = call_for(spec_for(via), {"change": "../../x?y=1#z", "replicas": 1})
            await bench.target.execute(call)
        assert server.requests[-1]["path"] == "/honest/actions-..%2F..%2Fx%3Fy%3D1%23z"

    @pytest.mark.parametrize("text", ["", "whsec_", "whsec_c2hvcnQ=", "no base64 !"])
    def test_a_secret_that_is_none_is_refused_without_showing_it(self, tmp_path: Path, text: str) -> None:
        secret = tmp_path / "secret"
        secret.write_text(text)
        with pytest.raises(CatalogError) as refused:
            make_target("w", HttpTarget(type="http", url="https://x.example", secret_file=str(secret)), SystemClock())
        assert len(text) < 8 or text not in str(refused.value)


class TestProgram:
    async def test_the_environment_is_the_catalogs_and_nothing_else(self, make: Any, tmp_path: Path) -> None:
        bench = make("program", "honest")
        await bench.target.execute(bench.call)
        seen = (tmp_path / "state").read_text()
        assert bench.call.command.idempotency_key in seen
        assert "HOME" not in seen

    async def test_no_shell_reads_an_argument(self, make: Any, tmp_path: Path) -> None:
        bench = make("program", "honest")
        evil = "c1; touch stolen $(touch stolen2)"
        call = call_for(bench.call.spec, {"change": evil, "replicas": 1})
        await bench.target.execute(call)
        assert evil in (tmp_path / "state").read_text()
        assert not (tmp_path / "stolen").exists()
        assert not (Path.cwd() / "stolen").exists()

    async def test_a_program_that_is_not_there_did_nothing(self) -> None:
        via = CommandOperation(argv=("no-such-program-at-all", "{change}"))
        target = make_target("p", CommandTarget(type="command"), SystemClock())
        reply = await target.execute(call_for(spec_for(via)))
        assert (reply.outcome, reply.delivered) == ("failed", False)

    async def test_a_program_that_outlives_us_is_at_work(self, make: Any, tmp_path: Path) -> None:
        """Our process was killed after it had started the program."""
        bench = make("program", "late")
        target: Any = bench.target
        running = asyncio.create_task(target.execute(bench.call))
        while not (tmp_path / "state").exists():  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.02)
        reply = await target.status(bench.call)
        assert reply.outcome == "pending"
        assert "still runs" in reply.detail
        assert (await target.status(replace(bench.call, attempt_id="att-2"))).outcome == "unknown"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert (await target.status(bench.call)).outcome == "unknown"

    async def test_endless_output_is_cut(self) -> None:
        via = CommandOperation(argv=(sys.executable, "-S", "-c", "print('x' * 3_000_000)"))
        target = make_target("p", CommandTarget(type="command"), SystemClock())
        reply = await target.execute(call_for(spec_for(via, call_seconds=10)))
        assert (reply.outcome, len(reply.body)) == ("succeeded", 65_536)


class TestKubernetes:
    @pytest.fixture
    async def api(self) -> AsyncIterator[Any]:
        with KubernetesDouble() as double:
            target = make_target(
                "k", KubernetesTarget(type="kubernetes", url=double.url, networks=LOCAL), SystemClock()
            )
            yield double, target
            await target.close()

    def call(self, replicas: int = 5, precondition: str = "41") -> ActionCall:
        via = KubernetesOperation(path="/apis/d/{target}", patch={"spec": {"replicas": "{replicas}"}})
        call = call_for(spec_for(via), {"change": "c1", "replicas": replicas})
        return replace(call, precondition=precondition)

    async def test_the_dry_run_is_the_servers_and_tells_the_version(self, api: Any) -> None:
        double, target = api
        reply = await target.dry_run(self.call())
        assert (reply.outcome, reply.precondition) == ("would_work", "41")
        assert reply.preview == ("spec.replicas: 2 -> 5",)
        assert double.patches == 0
        assert "dryRun=All" in double.requests[-1][1]

    async def test_what_the_server_would_refuse_is_told(self, api: Any) -> None:
        _, target = api
        reply = await target.dry_run(self.call(replicas=11))
        assert (reply.outcome, reply.preview) == ("would_fail", ("HTTP 422: replicas: too many",))

    async def test_an_object_that_changed_since_is_left_alone(self, api: Any) -> None:
        double, target = api
        double.touch()
        reply = await target.execute(self.call())
        assert (reply.outcome, double.object["spec"]["replicas"]) == ("failed", 2)
        assert "has been modified" in reply.detail

    async def test_twice_sent_is_once_applied(self, api: Any) -> None:
        double, target = api
        first, second = await target.execute(self.call()), await target.execute(self.call())
        assert (first.outcome, second.outcome, double.patches) == ("succeeded", "failed", 1)
        assert double.object["metadata"]["annotations"] == {
            "team": "shop", "leadline.dev/command": self.call().command.command_id,
        }  # fmt: skip

    async def test_without_a_version_nothing_is_sent(self, api: Any) -> None:
        double, target = api
        reply = await target.execute(self.call(precondition=""))
        assert (reply.delivered, double.requests) == (False, [])

    async def test_a_state_that_others_changed_says_nothing(self, api: Any) -> None:
        double, target = api
        assert (await target.outcome(self.call())).outcome == "not_done"
        double.touch()
        assert (await target.outcome(self.call())).outcome == "unclear"

    async def test_the_patch_has_the_arguments_own_type(self, api: Any) -> None:
        double, target = api
        await target.execute(self.call())
        assert json.dumps(double.requests[-1][2]["spec"]) == '{"replicas": 5}'
