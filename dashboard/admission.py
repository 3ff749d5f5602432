"""Who is let in: sessions of accounts, or everybody of this machine as long as nobody has an account.

How browsers carry a session is left to `dashboard.gate`.
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from core.config import Settings
from core.people_ports import Account, LockRule
from core.storage.audit import SqlAuditLog
from core.storage.engine import Database, open_database
from core.storage.password_hashes import Argon2Hashes
from core.storage.people import SqlPeopleStore
from core.usecases import accounts
from core.usecases.accounts import Door
from dashboard.openid import read_claims

SESSION_COOKIE = "kiyo_session"
LOOPBACK_NAMES = frozenset({"localhost"})


class Admission:
    """The door of one dashboard. Its methods block, so they are called in threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._opening = threading.Lock()
        self._database: Database | None = None
        self._hashes: Argon2Hashes | None = None

    def account_of(self, token: str) -> Account | None:
        """Whose session it is. Raises KiyoError when the database cannot be used."""
        return accounts.find_session(self._people(), token) if token else None

    def needs_no_account(self) -> bool:
        """Whether nobody could sign in. Raises KiyoError when the database cannot be used."""
        return needs_no_account(self.settings, self._people())

    def sign_in(self, login: str, password: str) -> str | None:
        """The token of a new session; None for a wrong password, an unknown, disabled or locked login."""
        account = accounts.sign_in(self._door(), login, password)
        return None if account is None else self._open_session(account)

    def admit(self, claims: Mapping[str, Any]) -> str | None:
        """The token of a new session for whom the OpenID provider vouched for; None without a role here."""
        outside = read_claims(self.settings.dashboard.oidc, claims)
        if outside is None:
            return None
        account = accounts.admit_from_outside(self._people(), SqlAuditLog(self._opened()), outside)
        return None if account is None else self._open_session(account)

    def sign_out(self, token: str) -> None:
        accounts.end_session(self._people(), token)

    def _open_session(self, account: Account) -> str:
        hours = self.settings.dashboard.session_hours
        return accounts.open_session(self._people(), account.login, datetime.now(UTC), hours)

    def _door(self) -> Door:
        with self._opening:
            self._hashes = self._hashes or Argon2Hashes()
        return make_door(self.settings, self._opened(), self._hashes)

    def _people(self) -> SqlPeopleStore:
        return SqlPeopleStore(self._opened())

    def _opened(self) -> Database:
        with self._opening:
            if self._database is None:
                self._database = open_database(self.settings.database_url)
            return self._database


def make_door(settings: Settings, database: Database, hashes: Argon2Hashes) -> Door:
    """What signing in needs, by the settings."""
    chosen = settings.dashboard
    lock_ms = int(timedelta(minutes=chosen.lock_minutes).total_seconds() * 1000)
    rule = LockRule(chosen.max_failures, lock_ms)
    return Door(SqlPeopleStore(database), hashes, SqlAuditLog(database), rule)


def needs_no_account(settings: Settings, people: SqlPeopleStore) -> bool:
    """Nobody has an account and no provider is configured: then this machine alone may look."""
    return not settings.dashboard.oidc.enabled and people.is_empty()


def is_loopback(address: str) -> bool:
    """address: as a server listens on it or a browser names it, without a port."""
    name = address.strip("[]").lower()
    try:
        return name in LOOPBACK_NAMES or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
