"""What a client library raised, as one fault of the closed list."""

import httpx

from ...contracts.errors import ModelError

SHOWN = 200


def _shown(text: str) -> str:
    """What a server says ends in records and on screens: cut, and without anything that is not plain text."""
    plain = "".join(c if c.isprintable() else " " for c in text.strip()[:SHOWN])
    return plain.encode("utf-8", "replace").decode()


def _text(error: BaseException) -> str:
    return _shown(str(error)) or type(error).__name__


def refused(status: int, body: str) -> ModelError:
    """For an answer of the server that is an error; `status` -1 stands for one in the middle of a stream."""
    why = _shown(body)
    if status == 404:
        return ModelError("the model is not there", kind="model_missing", why=why)
    if status == 400 and "context length" in body:
        return ModelError("the prompt is too long for the model", kind="too_long", why=why)
    where = "in the middle of its answer" if status < 0 else f"with status {status}"
    return ModelError(f"the server failed {where}", kind="server_error", why=why)


def fault_of(error: BaseException, url: str) -> ModelError:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return ModelError(f"no connection to {url}", kind="down", why=_text(error))
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return ModelError("the model did not answer in time", kind="timeout")
    if isinstance(error, httpx.TransportError | OSError):
        return ModelError("the connection broke", kind="down", why=_text(error))
    return ModelError(f"{url} does not answer like Ollama", kind="server_error", why=_text(error))
