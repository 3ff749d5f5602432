"""Texts are kept as long as [privacy] says; what a person wrote goes when they ask for it."""

from __future__ import annotations

from core.config import Settings
from core.ports import PrivacyStore, TextsRemoved
from core.usecases.audit import Acting


def expire_texts(store: PrivacyStore, settings: Settings) -> TextsRemoved:
    """Remove questions, answers, drafts and traces whose days are over; what still waits stays. Sync."""
    return store.expire(settings.privacy.keep_messages_days, settings.privacy.keep_traces_days)


def expire_now(store: PrivacyStore, acting: Acting, settings: Settings) -> TextsRemoved:
    """The same because somebody asked for it. Raises RoleError for who is no maintainer."""
    acting.require("maintainer")
    with acting.changing() as note:
        removed = expire_texts(store, settings)
        note("privacy.expire", "texts", "all", messages=removed.messages, traces=removed.traces)
    return removed


def erase_person(store: PrivacyStore, acting: Acting, settings: Settings, person: str) -> TextsRemoved:
    """Remove what a person asked, was answered and thought, on every account that the settings link. Sync.

    Figures and the verdicts of labels stay, without the name; the log of actions does not name them either.
    Raises RoleError for who is no maintainer.
    """
    acting.require("maintainer")
    linked = settings.access.accounts.get(person, ())
    accounts = [(channel, account) for channel, _, account in (name.rpartition(":") for name in linked)]
    with acting.changing() as note:
        removed = store.erase_person(person, accounts)
        note("privacy.erase", "person", "erased", messages=removed.messages, drafts=removed.drafts)
    return removed
