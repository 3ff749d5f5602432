"""One visitor of a dashboard without the browser: Streamlit's own messages over its socket.

What is timed is the run of a page's script up to its last message. What a browser then draws is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

WAIT_SECONDS = 120.0
GREATEST_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Visit:
    """seconds: from asking to the end of the script. kilobytes: of all messages. complaint: "" for a page
    that was drawn without an exception."""

    seconds: float
    kilobytes: float
    complaint: str


class Visitor:
    """One session of the dashboard."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    def visit(self, page: str, query: str = "") -> Visit:
        """Open a page by its address, in the session that there is; the script runs once more."""
        asked = BackMsg()
        asked.rerun_script.page_name = page
        asked.rerun_script.query_string = query
        started = time.perf_counter()
        self._socket.send(asked.SerializeToString())
        size, complaint = 0, ""
        while True:
            raw = self._socket.recv(WAIT_SECONDS)
            assert isinstance(raw, bytes)
            size += len(raw)
            said = ForwardMsg.FromString(raw)
            complaint = complaint or _complaint(said)
            if said.WhichOneof("type") == "script_finished":
                if said.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                return Visit(time.perf_counter() - started, size / 1000, complaint)


@contextmanager
def opened_session(address: str) -> Iterator[Visitor]:
    """A new session. address: of the dashboard, http://host:port."""
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(stream, max_size=GREATEST_BYTES, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
        yield Visitor(socket)


def _complaint(said: ForwardMsg) -> str:
    kind = said.WhichOneof("type")
    if kind == "page_not_found":
        return f"no page {said.page_not_found.page_name}"
    if kind == "delta" and said.delta.new_element.WhichOneof("type") == "exception":
        return str(said.delta.new_element.exception.message)
    return ""
