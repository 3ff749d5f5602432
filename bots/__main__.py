"""The command `kiyo`: registers the commands, and turns what goes wrong into a sentence and an exit code.

0  done
1  it could not be done; the sentence on stderr says what to do
2  the settings or the command line are wrong
3  an error of Kiyo itself; the traceback stands in the log file that the sentence names
130  stopped by Ctrl-C
"""

from __future__ import annotations

import errno
import io
import os
import pkgutil
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

import typer

from bots import commands
from bots.console import note
from bots.incidents import record_incident
from core.errors import KiyoError, SettingsError

STOPPED = "Stopped. What is finished is kept; run the same command again to go on."

app = typer.Typer(
    name="kiyo",
    help="Answers from your documents, and shows which article carried each answer.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in sorted(module.name for module in pkgutil.iter_modules(commands.__path__)):
    import_module(f"{commands.__name__}.{module}").register(app)


ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""More threads than one wait for each other on small machines: 50 times slower embeddings were measured."""


REFUSALS = frozenset(
    {
        errno.EACCES,
        errno.EDQUOT,
        errno.EISDIR,
        errno.EEXIST,
        errno.ENAMETOOLONG,
        errno.ENOSPC,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
    }
)
"""What the system says where whoever runs Kiyo must act, and not Kiyo's makers."""


def main() -> None:
    """Entry point of the installed command. Being told to end is an exit like any other, so that child
    processes and locks are let go."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, lambda received, _frame: sys.exit(128 + received))
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str], cli: typer.Typer = app) -> int:
    """Run one command and return its exit code. With KIYO_DEBUG set, exceptions come through."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(args=list(arguments), prog_name="kiyo")
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else 0
        if code == 130:
            note(STOPPED)
        return code
    except Exception as error:
        if os.environ.get("KIYO_DEBUG"):
            raise
        return _explain(error)
    return 0


def _explain(error: Exception) -> int:
    if isinstance(error, KiyoError):
        note(str(error))
        return 2 if isinstance(error, SettingsError) else 1
    if (refused := _refusal(error)) is not None:
        where = f": {refused.filename}" if refused.filename else ""
        note(f"The system refused to read or write ({refused.strerror}{where}).")
        return 1
    incident, path = record_incident(error)
    note(f"Something went wrong inside Kiyo (incident {incident}); {path} holds the details.")
    return 3


def _refusal(error: BaseException) -> OSError | None:
    """A full disk, a folder that may not be written or the like, if that is what lies behind the error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in REFUSALS:
            return cause
        cause = cause.__cause__
    return None


if __name__ == "__main__":
    main()
