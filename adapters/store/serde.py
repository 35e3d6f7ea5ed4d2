"""How checkpoints are read back: plain values and LangGraph's own types, nothing that a row could name."""

from threading import get_ident
from typing import Any

from langgraph.checkpoint.serde.event_hooks import SerdeEvent, register_serde_event_listener
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ...contracts.errors import CorruptStore

_HINT = "the run cannot go on; start the investigation anew"
_READABLE = frozenset({"null", "bytes", "bytearray", "msgpack"})
"""Without `json`: LangChain's envelopes, which name constructors, are revived from it."""
_REFUSALS = frozenset({"msgpack_blocked", "msgpack_method_blocked", "msgpack_unregistered_allowed"})


class StrictSerializer(JsonPlusSerializer):
    """Raises `CorruptStore` where LangGraph's own would hand back a dict in place of a type that it does not allow."""

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=())

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        if data[0] not in _READABLE:
            raise CorruptStore("a stored checkpoint cannot be read", why=f"unknown type {data[0]!r}", hint=_HINT)
        refused: list[str] = []
        thread = get_ident()

        def listen(event: SerdeEvent) -> None:
            if event["kind"] in _REFUSALS and get_ident() == thread:
                refused.append(f"{event['module']}.{event['name']}")

        forget = register_serde_event_listener(listen)
        try:
            value = super().loads_typed(data)
        except (ValueError, TypeError, RecursionError) as error:  # msgpack's own error is a ValueError
            raise CorruptStore("a stored checkpoint cannot be read", why=str(error), hint=_HINT) from error
        finally:
            forget()
        if refused:
            raise CorruptStore("a stored checkpoint holds a blocked type", why=", ".join(refused), hint=_HINT)
        return value
