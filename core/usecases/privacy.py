"""Texts are kept as long as [privacy] says; what a person wrote goes when they ask for it."""

from __future__ import annotations

from core.config import Settings
from core.ports import PrivacyStore, TextsRemoved


def expire_texts(store: PrivacyStore, settings: Settings) -> TextsRemoved:
    """Remove questions, answers, drafts and traces whose days are over; what still waits stays. Sync."""
    return store.expire(settings.privacy.keep_messages_days, settings.privacy.keep_traces_days)


def erase_person(store: PrivacyStore, settings: Settings, person: str) -> TextsRemoved:
    """Remove what a person asked, was answered and thought, on every account that the settings link. Sync.

    Figures and the verdicts of labels stay, without the name.
    """
    linked = settings.access.accounts.get(person, ())
    accounts = [(channel, account) for channel, _, account in (name.rpartition(":") for name in linked)]
    return store.erase_person(person, accounts)
