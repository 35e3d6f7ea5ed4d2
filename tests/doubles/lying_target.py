"""A target of actions that counts what it does, and lies about it: in memory, or as a web service.

honest       does it and says so
late         does it and answers after everybody stopped waiting
drops        does it and breaks the connection
twice        does it twice on one request
works        says 202, and succeeds later
fails_later  says 202, and fails later without having done it
loses_key    does it, breaks the connection and forgets the key; its state cannot be read either
other        does it and answers with another command's receipt
forges       does nothing and answers with a receipt that it did not sign
broken       does nothing and answers 500
refuses      does nothing and answers 422
"""

import argparse
import asyncio
import base64
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from leadline.adapters.targets.signing import sign
from leadline.contracts.ports import ActionCall, DryRunReply, ProbedOutcome, TargetReply

BEHAVIOURS = (
    "honest", "late", "drops", "twice", "works", "fails_later", "loses_key", "other", "forges", "broken", "refuses",
)  # fmt: skip
DOES_NOTHING = frozenset({"fails_later", "forges", "broken", "refuses"})
ENDS = {
    "honest": "succeeded", "late": "succeeded", "drops": "succeeded", "twice": "succeeded", "works": "succeeded",
    "fails_later": "failed", "loses_key": "manual_review", "other": "succeeded", "forges": "manual_review",
    "broken": "failed", "refuses": "failed",
}  # fmt: skip
"""How a command must end at each."""
SECRET = base64.b64encode(b"a secret of the lying target").decode()
POLLS = 2
"""So often a pending command is still at work."""


class World:
    """What really happened."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour
        self.runs: Counter[str] = Counter()
        self.known: dict[str, dict[str, Any]] = {}
        self.polls: Counter[str] = Counter()
        self.epochs: list[int] = []
        self.lock = threading.Lock()

    def submit(self, key: str, fingerprint: str) -> dict[str, Any]:
        """The same key gets its first answer again; it is what honest targets do."""
        with self.lock:
            if key in self.known:
                return self.known[key]
            if self.behaviour not in DOES_NOTHING:
                self.runs[key] += 2 if self.behaviour == "twice" else 1
            said = {"works": "pending", "fails_later": "pending", "refuses": "failed"}.get(self.behaviour, "succeeded")
            answer = {
                "outcome": said,
                "idempotency_key": key,
                "fingerprint": fingerprint,
                "reference": f"op-{key[-6:]}",
            }
            if self.behaviour not in {"loses_key", "forges", "broken"}:
                self.known[key] = answer
            return answer

    def ask(self, key: str) -> dict[str, Any] | None:
        with self.lock:
            answer = self.known.get(key)
            if answer is None or answer["outcome"] != "pending":
                return answer
            self.polls[key] += 1
            done = {"works": "succeeded", "fails_later": "failed"}[self.behaviour]
            return answer if self.polls[key] <= POLLS else {**answer, "outcome": done}

    def state(self, key: str) -> str:
        if self.behaviour in {"loses_key", "forges"}:
            return "unreadable"
        return "done" if self.runs[key] else "not_done"


class LyingTarget:
    """Implements `ActionTarget` without a network."""

    def __init__(self, behaviour: str = "honest", name: str = "lying") -> None:
        self.world = World(behaviour)
        self.calls: list[str] = []
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    async def dry_run(self, call: ActionCall) -> DryRunReply:
        self.calls.append("dry_run")
        return DryRunReply("would_work", (f"would {call.command.kind}",), "v1")

    async def execute(self, call: ActionCall) -> TargetReply:
        self.calls.append("execute")
        self.world.epochs.append(call.epoch)
        command, lie = call.command, self.world.behaviour
        answer = self.world.submit(command.idempotency_key, command.fingerprint)
        if lie == "late":
            await asyncio.sleep(3600)
        if lie in {"drops", "loses_key"}:
            return TargetReply("unknown", detail="the connection broke")
        if lie == "broken":
            return TargetReply("unknown", body=b"500", detail="HTTP 500")
        reply = _reply(answer)
        if lie == "other":
            return reply._replace(echoed_key="idk-of-another-command")
        return reply._replace(authentic=False) if lie == "forges" else reply

    async def status(self, call: ActionCall) -> TargetReply:
        self.calls.append("status")
        answer = self.world.ask(call.command.idempotency_key)
        return TargetReply("unknown", detail="the target knows nothing of it") if answer is None else _reply(answer)

    async def outcome(self, call: ActionCall) -> ProbedOutcome:
        self.calls.append("outcome")
        state = self.world.state(call.command.idempotency_key)
        return ProbedOutcome("unclear" if state == "unreadable" else state)  # type: ignore[arg-type]

    async def close(self) -> None:
        self.calls.append("close")


def _reply(answer: dict[str, Any]) -> TargetReply:
    return TargetReply(
        answer["outcome"], body=json.dumps(answer).encode(), reference=answer["reference"],
        echoed_key=answer["idempotency_key"], echoed_fingerprint=answer["fingerprint"], must_echo=True,
    )  # fmt: skip


class _Server(ThreadingHTTPServer):
    def handle_error(self, _request: Any, _client: Any) -> None:
        """A client that was killed hangs up in the middle; that is what it is for."""


class LyingServer:
    """The same over HTTP: `/BEHAVIOUR/actions`, `/status/KEY`, `/dry-run`, `/outcome/KEY`; `/log` and `/reset` for the test."""

    def __init__(self, late_seconds: float = 2.0) -> None:
        self.worlds = {name: World(name) for name in BEHAVIOURS}
        self.requests: list[dict[str, Any]] = []
        self.late_seconds = late_seconds
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self) -> None:
        self._server.serve_forever(0.02)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                _, lie, what, *key = self.path.split("/")
                world = served.worlds[lie]
                if what == "log":
                    self._say(200, {"runs": dict(world.runs)}, sign_it=False)
                elif what == "status":
                    answer = world.ask(key[0])
                    self._say(200 if answer else 404, answer or {})
                else:
                    self._say(200, {"state": world.state(key[0]), "idempotency_key": key[0]})

            def do_POST(self) -> None:
                _, lie, what = self.path.split("/")
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                served.requests.append({"path": self.path, "headers": dict(self.headers), "body": body})
                if what == "reset":
                    served.worlds[lie] = World(lie)
                    self._say(200, {}, sign_it=False)
                elif what == "dry-run":
                    self._say(200, {"preview": ["would do it"], "precondition": "v7"})
                else:
                    self._act(served.worlds[lie], body)

            def _act(self, world: World, body: dict[str, Any]) -> None:
                lie = world.behaviour
                answer = world.submit(body["idempotency_key"], body["fingerprint"])
                if lie == "late":
                    time.sleep(served.late_seconds)
                if lie in {"drops", "loses_key"}:
                    self.close_connection = True
                    self.connection.close()
                elif lie == "broken":
                    self._say(500, {"detail": "no idea"})
                elif lie == "other":
                    self._say(200, {**answer, "idempotency_key": "idk-of-another-command"})
                else:
                    code = 202 if answer["outcome"] == "pending" else 422 if lie == "refuses" else 200
                    self._say(code, answer, sign_it=lie != "forges")

            def _say(self, code: int, fields: dict[str, Any], *, sign_it: bool = True) -> None:
                body = json.dumps(fields).encode()
                secret = base64.b64decode(SECRET) if sign_it else b"a secret that somebody made up"
                try:
                    self.send_response(code)
                    for name, value in sign(secret, "msg-1", int(time.time()), body).items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True  # nobody waits any more

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def main() -> None:
    """Serve until killed; the address goes into a file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("address", type=Path)
    given = parser.parse_args()
    server = LyingServer()
    written = given.address.with_suffix(".new")
    written.write_text(server.url)
    written.rename(given.address)
    server.serve()


if __name__ == "__main__":
    main()
