"""PasswordHashes: argon2id with the parameters that its package recommends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import ExtraMissingError

if TYPE_CHECKING:
    from argon2 import PasswordHasher


class Argon2Hashes:
    """Implements PasswordHashes. Raises ExtraMissingError without the extra `dashboard`."""

    def __init__(self) -> None:
        self._hasher = _make_hasher()
        self._decoy = self._hasher.hash("nobody has this password")

    def make(self, password: str) -> str:
        return self._hasher.hash(password)

    def matches(self, password_hash: str | None, password: str) -> bool:
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            self._hasher.verify(self._decoy if password_hash is None else password_hash, password)
        except (VerificationError, InvalidHashError):
            return False
        return password_hash is not None


def _make_hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            "Passwords need the extra `dashboard`; in Kiyo's folder: pip install -e '.[dashboard]'."
        ) from error
    return PasswordHasher()
