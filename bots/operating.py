"""Who acts on the command line: whoever may start commands in this folder is a maintainer."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

from core.people_ports import Person
from core.usecases.audit import Acting

if TYPE_CHECKING:
    from core.storage.engine import Database


def local_operator() -> Person:
    """Such as cli:mina; cli:unknown where the system has no name for the user, as in some containers."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = "unknown"
    return Person(f"cli:{name}", "maintainer")


def acting_here(database: Database) -> Acting:
    """The local operator, with the log of this database."""
    from core.storage.audit import SqlAuditLog

    return Acting(local_operator(), SqlAuditLog(database))
