"""The dashboard as a child process: Streamlit on loopback, without its usage statistics."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from core.errors import ExtraMissingError, OperatorError

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8501
START_SECONDS = 60.0
STOP_SECONDS = 5.0
GROUPS_VARIABLE = "KIYO_DASHBOARD_GROUPS"


def find_free_port(preferred: int = DEFAULT_PORT, host: str = LOOPBACK) -> int:
    """The preferred port, else any that is free."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OperatorError(f"No port on {host} is free for the dashboard.")


def check_address(host: str, port: int) -> None:
    """Raise OperatorError with the reason if nothing can listen there now."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        sentence = f"{host!r} is no address of this machine; leave out --host for 127.0.0.1."
        raise OperatorError(sentence) from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise OperatorError(
                    f"Port {port} on {host} is in use. Stop what uses it, or choose another one with --port."
                ) from None
            raise OperatorError(f"Nothing can listen on {host}:{port} ({error.strerror}).") from None


def dashboard_command(host: str, port: int) -> list[str]:
    """The command line that serves the dashboard. Raises ExtraMissingError without Streamlit."""
    spec = find_spec("dashboard")
    if find_spec("streamlit") is None or spec is None or not spec.submodule_search_locations:
        raise ExtraMissingError("The dashboard needs the extra `dashboard` (Streamlit and Altair).")
    page = Path(next(iter(spec.submodule_search_locations))) / "server.py"
    options = {
        "server.address": host,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", str(page), *flags]


@contextmanager
def running_dashboard(port: int, environment: Mapping[str, str]) -> Iterator[str]:
    """The address of a dashboard that lives as long as the context.

    environment: in addition to this process's own. Raises OperatorError if it does not come up.
    """
    child = subprocess.Popen(  # noqa: S603 - our own command line, no shell
        dashboard_command(LOOPBACK, port),
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        address = f"http://{LOOPBACK}:{port}"
        _wait_until_healthy(child, f"{address}/_stcore/health")
        yield address
    finally:
        stop_child(child)


def stop_child(child: subprocess.Popen[bytes]) -> None:
    """Ask it to end, then make it."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _wait_until_healthy(child: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise OperatorError(f"The dashboard ended at once (exit code {child.returncode}).")
        try:
            with urllib.request.urlopen(url, timeout=2) as reply:  # noqa: S310 - loopback
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise OperatorError(f"The dashboard did not answer at {url} within {START_SECONDS:.0f} seconds.")
