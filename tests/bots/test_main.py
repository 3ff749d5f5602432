"""The command `kiyo`: what it loads, what it says when something goes wrong."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from bots.__main__ import STOPPED, app, run
from core.errors import KiyoError, NotReadyError, SettingsError, StoreError

HEAVY = ("numpy", "pydantic", "sqlalchemy", "rich", "chromadb", "litellm", "streamlit", "tantivy", "alembic")


def failing(error: BaseException) -> typer.Typer:
    """A command line whose only work raises this."""
    cli = typer.Typer(pretty_exceptions_enable=False)

    @cli.command()
    def work() -> None:
        raise error

    return cli


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from bots.__main__ import run; code = run(['--help']); "
        f"print([name for name in {HEAVY!r} if name in sys.modules], code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] 0"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in ("ingest", "reindex", "ask", "chat", "serve", "dashboard", "demo", "eval", "doctor"):
        assert f"\n  {command} " in shown
    assert "..." not in shown.partition("Commands:")[2]


@pytest.mark.parametrize("group", ["eval", "answers", "db"])
def test_every_group_explains_itself(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([group, "--help"]) == 0
    assert "Commands:" in capsys.readouterr().out


def test_a_wrong_command_line_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dance"]) == 2
    assert run(["ask"]) == 2
    assert "Missing argument" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotReadyError("Run `kiyo ingest` first."), 1),
        (StoreError("The database is behind; run `kiyo db upgrade`."), 1),
        (SettingsError("rag.max_result: there is no such key"), 2),
    ],
)
def test_an_error_that_people_can_act_on_is_one_sentence(
    error: KiyoError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([], failing(error)) == code
    captured = capsys.readouterr()
    assert captured.err == f"{error}\n"
    assert captured.out == ""


def test_an_error_of_kiyo_itself_goes_to_the_log_under_its_incident(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([], failing(RuntimeError("the secret inside"))) == 3
    said = capsys.readouterr().err
    assert "the secret inside" not in said
    log = (workplace / ".kiyo" / "errors.log").read_text(encoding="utf-8")
    assert "RuntimeError: the secret inside" in log
    incident = said.partition("incident ")[2].partition(")")[0]
    assert f"incident {incident}\n" in log


def test_the_log_goes_where_it_can_be_written(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / ".kiyo").write_text("a file where the folder should be")
    monkeypatch.setenv("TMPDIR", str(workplace))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert run([], failing(RuntimeError("boom"))) == 3
    assert str(workplace / "errors.log") in capsys.readouterr().err


def test_with_debug_the_exception_comes_through(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIYO_DEBUG", "1")
    with pytest.raises(StoreError):
        run([], failing(StoreError("behind")))


def test_ctrl_c_says_that_the_work_can_be_taken_up_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], failing(KeyboardInterrupt())) == 130
    assert STOPPED in capsys.readouterr().err


def test_settings_that_are_wrong_stop_every_command_with_their_name(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "kiyo.toml").write_text("[rag]\nmax_result = 3\n")
    for command in (["config"], ["ask", "?"], ["ingest", "."], ["reindex"], ["chat"], ["db", "status"]):
        assert run(command) == 2
        assert "did you mean rag.max_results?" in capsys.readouterr().err


def test_every_command_is_registered_once() -> None:
    names = [command.name for command in app.registered_commands]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR])
def test_what_the_system_refuses_is_one_sentence(
    number: int, workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = OSError(number, "it does not work", "/srv/kiyo.lock")
    assert run([], failing(refused)) == 1
    assert capsys.readouterr().err == (
        "The system refused to read or write (it does not work: /srv/kiyo.lock).\n"
    )
    outer = RuntimeError("index")
    outer.__cause__ = refused
    assert run([], failing(outer)) == 1
    assert not (workplace / ".kiyo").exists()


@pytest.mark.parametrize("command", [["ask", "leave"], ["ingest", "."], ["serve"]])
def test_a_file_in_the_place_of_the_folder_is_named(
    command: list[str], workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / ".kiyo").write_text("a file where the folder should be")
    assert run(command) == 1
    assert ".kiyo" in capsys.readouterr().err


def test_a_port_that_cannot_be_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["dashboard", "--port", "70000"]) == 2
    assert "65535" in capsys.readouterr().err


def test_an_incident_is_recorded_even_where_the_settings_cannot_be_read(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (workplace / "kiyo.toml").mkdir()
    assert run([], failing(RuntimeError("boom"))) == 3
    assert (workplace / ".kiyo" / "errors.log").exists()
