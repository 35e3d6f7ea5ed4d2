"""A Kubernetes API server with one kind of object: versions, merge patches, server-side dry runs, and lies."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

BEHAVIOURS = ("honest", "late", "drops", "other", "broken", "refuses")


def merged(value: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    base = dict(value) if isinstance(value, dict) else {}
    for key, inner in patch.items():
        if inner is None:
            base.pop(key, None)
        else:
            base[key] = merged(base.get(key), inner)
    return base


class KubernetesDouble:
    def __init__(self, behaviour: str = "honest", late_seconds: float = 1.0) -> None:
        self.behaviour, self.late_seconds = behaviour, late_seconds
        self.patches = 0
        self.requests: list[tuple[str, str, Any, dict[str, str]]] = []
        self.object: dict[str, Any] = {
            "metadata": {"name": "till", "uid": "u-1", "resourceVersion": "41", "annotations": {"team": "shop"}},
            "spec": {"replicas": 2},
        }
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
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

    def touch(self) -> None:
        """Somebody else changes the object."""
        self.object["metadata"]["resourceVersion"] = str(int(self.object["metadata"]["resourceVersion"]) + 1)

    def patch(self, body: dict[str, Any], *, dry: bool) -> tuple[int, dict[str, Any]]:
        with self._lock:
            wanted = body.get("metadata", {}).get("resourceVersion")
            if wanted != self.object["metadata"]["resourceVersion"]:
                return 409, {"message": "the object has been modified"}
            made = merged(self.object, body)
            if made["spec"]["replicas"] > 10:
                return 422, {"message": "replicas: too many"}
            if dry:
                return 200, made
            made["metadata"]["resourceVersion"] = str(int(wanted) + 1)
            self.object, self.patches = made, self.patches + 1
            return 200, made

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                served.requests.append(("GET", self.path, None, dict(self.headers)))
                self._say(200, served.object)

            def do_PATCH(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                served.requests.append(("PATCH", self.path, body, dict(self.headers)))
                dry = parse_qs(urlsplit(self.path).query).get("dryRun") == ["All"]
                if dry:
                    self._say(*served.patch(body, dry=True))
                elif served.behaviour == "broken":
                    self._say(500, {"message": "etcd leader changed"})
                elif served.behaviour == "refuses":
                    self._say(403, {"message": "forbidden"})
                else:
                    code, made = served.patch(body, dry=False)
                    self._lie(code, made)

            def _lie(self, code: int, made: dict[str, Any]) -> None:
                if served.behaviour == "late":
                    time.sleep(served.late_seconds)
                if served.behaviour == "drops":
                    self.close_connection = True
                    self.connection.close()
                elif served.behaviour == "other":
                    self._say(200, {"metadata": {"name": "door", "uid": "u-2", "resourceVersion": "7"}})
                else:
                    self._say(code, made)

            def _say(self, code: int, fields: dict[str, Any]) -> None:
                body = json.dumps(fields).encode()
                try:
                    self.send_response(code)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler
