"""The dashboard as a child process."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from itertools import pairwise
from pathlib import Path

import pytest

import dashboard.runtime
from bots.serving import GROUPS_VARIABLE, check_address, dashboard_command, find_free_port, running_dashboard
from core.errors import OperatorError


def test_the_preferred_port_is_taken_if_it_is_free_else_another() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        busy = taken.getsockname()[1]
        other = find_free_port(busy)
        assert other != busy
    assert find_free_port(busy) == busy


def test_an_address_that_cannot_be_listened_on_is_a_sentence() -> None:
    with pytest.raises(OperatorError, match="no address of this machine"):
        check_address("not a host", 8501)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OperatorError, match=f"Port {port} on 127.0.0.1 is in use"):
            check_address("127.0.0.1", port)
    check_address("127.0.0.1", port)


def test_it_listens_on_loopback_and_sends_no_statistics() -> None:
    command = dashboard_command("127.0.0.1", 8501)
    pairs = list(pairwise(command))
    assert ("--server.address", "127.0.0.1") in pairs
    assert ("--browser.gatherUsageStats", "false") in pairs
    assert ("--server.headless", "true") in pairs
    assert Path(command[command.index("run") + 1]).is_file()


def test_both_sides_name_the_same_variable() -> None:
    assert dashboard.runtime.GROUPS_VARIABLE == GROUPS_VARIABLE


def test_it_answers_while_the_context_lasts_and_is_gone_afterwards(workplace: Path) -> None:
    config = workplace / "kiyo.toml"
    config.write_text(f'[storage]\nfolder = "{workplace}/nothing-yet"\n', encoding="utf-8")
    settings = {"KIYO_CONFIG": str(config)}
    with running_dashboard(find_free_port(0), settings) as address, urllib.request.urlopen(address) as reply:
        assert reply.status == 200
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{address}/_stcore/health")
