"""A server that speaks Ollama's wire protocol, by script; in a thread for unit tests, in its own process for whole runs.

A script is a dict (in a file: JSON):

    models           names, or entries as /api/tags gives them; `capabilities` in an entry goes to /api/show
    bytes_per_token  what its tokenizer makes of text (3.6)
    turns            rules, the first that fits a call is used; what none fits gets the smallest valid answer
    down_after       so many chat calls, then nobody listens any more
    down_seconds     … for so long (for ever)

A rule fits by `form` (title of the schema, or absent for all), `nth` (the call of that form, from 1) or `from`/`to`, and
`contains` (a text in the messages). What it does:

    text | json      the answer; `texts`: a list, one per call that fits, the last one stays
    prose            true: an answer that ignores `format`
    done_reason      "stop"
    thinking         thoughts before the answer
    prompt_eval_count   a number, null, "half_context", "context", or "uncached": only what no earlier prompt shares
    delay, dribble   seconds before the answer, and between its pieces
    fault            an HTTP status, or hang, drop, broken_line, mid_error, no_final, load, html, list, endless, refuse_think

`answer` instead of `turns` (in a thread only): a function of the request that returns a rule's second half.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

Turn = dict[str, Any]
PIECE = 48
ERRORS = {
    400: "invalid JSON schema in format",
    404: "model '{model}' not found",
    500: "llama runner process has terminated: signal: killed",
    503: "server busy, please try again.  maximum pending requests exceeded",
}


def smallest(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """The least that fits a schema."""
    root = root or schema
    if "$ref" in schema:
        return smallest(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if "anyOf" in schema:
        return None if {"type": "null"} in schema["anyOf"] else smallest(schema["anyOf"][0], root)
    if schema.get("type") == "object":
        return {name: smallest(inner, root) for name, inner in schema.get("properties", {}).items()}
    return {"array": [], "integer": 0, "number": 0.0, "boolean": False}.get(schema.get("type", ""), "nothing")


def shared(one: str, other: str) -> int:
    """Length of the common beginning."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Script:
    """What to answer, and what was asked so far."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self._calls: dict[str, int] = {}
        self._fits: dict[int, int] = {}
        self._prompts: list[str] = []
        self._lock = threading.Lock()

    @property
    def models(self) -> list[dict[str, Any]]:
        named = self.script.get("models", ["fake:1b"])
        entries = [entry if isinstance(entry, dict) else {"name": entry} for entry in named]
        detail = {"format": "gguf", "family": "llama", "parameter_size": "1B", "quantization_level": "Q4_K_M"}
        return [
            {
                "model": entry["name"],
                "modified_at": "2026-01-01T00:00:00Z",
                "size": 1,
                "digest": f"{i:064x}",
                "details": detail,
                **entry,
            }
            for i, entry in enumerate(entries)
        ]

    def turn(self, body: dict[str, Any]) -> Turn:
        form = body["format"].get("title", "") if isinstance(body.get("format"), dict) else ""
        with self._lock:
            nth = self._calls[form] = self._calls.get(form, 0) + 1
            if "answer" in self.script:
                answer: Callable[[dict[str, Any]], Turn] = self.script["answer"]
                return answer(body)
            for number, rule in enumerate(self.script.get("turns", [])):
                if self._fit(rule, form, nth, body):
                    count = self._fits[number] = self._fits.get(number, 0) + 1
                    texts = rule.get("texts")
                    return {**rule, "text": texts[min(count, len(texts)) - 1]} if texts else rule
        return {}

    def _fit(self, rule: Turn, form: str, nth: int, body: dict[str, Any]) -> bool:
        if rule.get("form", form) != form or not rule.get("from", 1) <= nth <= rule.get("to", nth):
            return False
        return rule.get("nth", nth) == nth and rule.get("contains", "") in json.dumps(body["messages"])

    def text(self, turn: Turn, body: dict[str, Any]) -> str:
        if turn.get("prose"):
            return "The shop looks unhealthy to me; you could try to run kubectl rollout undo."
        if "text" in turn:
            return str(turn["text"])
        schema = body.get("format")
        return json.dumps(turn["json"] if "json" in turn else smallest(schema) if isinstance(schema, dict) else "hello")

    def counted(self, turn: Turn, body: dict[str, Any]) -> int | None:
        prompt = "\n".join(message.get("content", "") for message in body["messages"])
        num_ctx = body.get("options", {}).get("num_ctx", 4096)
        wanted = turn.get("prompt_eval_count", "all")
        with self._lock:
            earlier = tuple(self._prompts)
            self._prompts.append(prompt)
        if not isinstance(wanted, str):
            return wanted
        if wanted in {"half_context", "context"}:
            return num_ctx // 2 + 2 if wanted == "half_context" else num_ctx - 1
        read = prompt[max((shared(prompt, old) for old in earlier), default=0) :] if wanted == "uncached" else prompt
        return max(1, int(len(read.encode()) / self.script.get("bytes_per_token", 3.6)))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's name
        """Quiet."""

    def reply(self, status: int, value: Any, kind: str = "application/json; charset=utf-8") -> None:
        content = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def line(self, value: Any) -> None:
        content = value.encode() if isinstance(value, str) else json.dumps(value).encode() + b"\n"
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def drop(self) -> None:
        self.close_connection = True
        self.server.shutdown_request(self.request)

    def do_GET(self) -> None:
        script = self.server.script
        if self.path == "/double/requests":
            self.reply(200, script.requests)
        elif self.path == "/api/tags":
            hidden = {"capabilities"}
            self.reply(200, {"models": [{k: v for k, v in m.items() if k not in hidden} for m in script.models]})
        elif self.path == "/api/version":
            self.reply(200, {"version": "0.33.0"})
        else:
            self.reply(404, {"error": "not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script = self.server.script
        if self.path == "/api/show":
            model = next((m for m in script.models if m["name"] == body.get("model")), None)
            if model is None:
                return self.reply(404, {"error": f"model '{body.get('model')}' not found"})
            return self.reply(200, {"capabilities": model.get("capabilities", ["completion"])})
        if self.path != "/api/chat":
            return self.reply(404, {"error": "not found"})
        script.requests.append({"path": self.path, "headers": dict(self.headers), "body": body, "at": time.monotonic()})
        if body["model"] not in {m["name"] for m in script.models}:
            return self.reply(404, {"error": ERRORS[404].format(model=body["model"])})
        try:
            self.chat(body, script.turn(body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        return self.server.count_chat()

    def chat(self, body: dict[str, Any], turn: Turn) -> None:
        fault = turn.get("fault")
        if fault == "refuse_think":
            if "think" in body:
                return self.reply(400, {"error": f'"{body["model"]}" does not support thinking'})
            fault = None
        self.server.stopping.wait(3600 if fault == "hang" else turn.get("delay", 0))
        if isinstance(fault, int):
            return self.reply(fault, {"error": turn.get("error", ERRORS.get(fault, "")).format(model=body["model"])})
        if fault in {"drop", "hang"} and not turn.get("text"):
            return self.drop()
        if fault == "html":
            return self.reply(200, "<html>Welcome</html>", "text/html")
        final = self.final(body, turn)
        text = self.server.script.text(turn, body)
        if not body.get("stream", True):
            whole = {
                "role": "assistant",
                "content": text,
                **({"thinking": turn["thinking"]} if "thinking" in turn else {}),
            }
            return self.reply(200, {**final, "message": whole})
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        return self.stream(body, turn, text, final)

    def final(self, body: dict[str, Any], turn: Turn) -> dict[str, Any]:
        counted = self.server.script.counted(turn, body)
        return {
            "model": body["model"],
            "created_at": "2026-01-01T00:00:00.000000Z",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": turn.get("done_reason", "stop"),
            "total_duration": 5_000_000,
            "load_duration": 1_000_000,
            **({} if counted is None else {"prompt_eval_count": counted}),
            "prompt_eval_duration": 2_000_000,
            "eval_count": max(1, len(self.server.script.text(turn, body)) // 4),
            "eval_duration": 2_000_000,
        }

    def stream(self, body: dict[str, Any], turn: Turn, text: str, final: dict[str, Any]) -> None:
        fault = turn.get("fault")

        def piece(content: str, **more: Any) -> None:
            message = {"role": "assistant", "content": content, **more}
            self.line({"model": body["model"], "created_at": final["created_at"], "message": message, "done": False})

        if fault == "load":
            self.line({**final, "done_reason": "load"})
            return self.end()
        if fault == "list":
            self.line([1, 2])
            return self.end()
        if "thinking" in turn:
            piece("", thinking=turn["thinking"])
        while fault == "endless" and not self.server.stopping.is_set():
            piece("word " * 100)
        for start in range(0, len(text), PIECE):
            piece(text[start : start + PIECE])
            self.server.stopping.wait(turn.get("dribble", 0))
            if fault == "drop":
                return self.drop()
            if fault == "mid_error":
                self.line({"error": "an error was encountered while running the model: unexpected EOF"})
                return self.end()
            if fault == "broken_line":
                self.line('{"model": "x", "mess\n')
                return self.end()
        if fault != "no_final":
            self.line(final)
        return self.end()

    def end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, port: int, script: Script, count_chat: Callable[[], None]) -> None:
        self.script = script
        self.count_chat = count_chat
        self.stopping = threading.Event()
        self.open_sockets: set[Any] = set()
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is none of ours to report."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open_sockets.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open_sockets.discard(request)
        super().shutdown_request(request)


class OllamaDouble:
    """A context manager; `stop` and `start` in between keep the port and the script's place."""

    def __init__(self, script: dict[str, Any] | None = None, port: int = 0) -> None:
        self.script = Script(script or {})
        self._port = port
        self._server: Server | None = None
        self._chats = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """Bodies of the chat requests."""
        return [request["body"] for request in self.script.requests]

    def start(self) -> None:
        self._server = Server(self._port, self.script, self._count)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        if (server := self._server) is not None:
            self._server = None
            server.stopping.set()
            server.shutdown()
            server.server_close()
            for request in list(server.open_sockets):
                server.shutdown_request(request)

    def _count(self) -> None:
        self._chats += 1
        if self._chats == self.script.script.get("down_after"):
            threading.Thread(target=self._go_down, daemon=True).start()

    def _go_down(self) -> None:
        self.stop()
        if seconds := self.script.script.get("down_seconds"):
            time.sleep(seconds)
            self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def main(arguments: list[str] | None = None) -> None:
    """Prints its URL in the first line and serves until it is killed; GET /double/requests tells what was asked."""
    parser = argparse.ArgumentParser(description="A server that speaks Ollama's wire protocol, by script.")
    parser.add_argument("script", type=Path, nargs="?", help="a JSON file; without one every answer is the smallest")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    script = json.loads(options.script.read_text(encoding="utf-8")) if options.script else {}
    with OllamaDouble(script, options.port) as double:
        sys.stdout.write(f"{double.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
