"""Who asks, whom they are on other channels, and what may be used to answer them."""

from __future__ import annotations

from core.config import Settings
from core.domain import PUBLIC, Principal
from core.messages import Author, Place
from core.usecases.conversation.places import find_for_place, is_among


def account_name(place: Place, author: Author) -> str:
    """A person's account as the settings name it."""
    return (
        f"{place.channel}:{place.workspace}:{author.id}"
        if place.workspace
        else f"{place.channel}:{author.id}"
    )


def find_person(settings: Settings, place: Place, author: Author) -> str:
    """The same name for one person on every channel, if [access.accounts] or a verified e-mail links them;
    else the account."""
    account = account_name(place, author)
    short = f"{place.channel}:{author.id}"
    for person, accounts in settings.access.accounts.items():
        if account in accounts or short in accounts:
            return person
    if author.email and author.email in settings.access.people:
        return author.email
    return account


def groups_of(settings: Settings, place: Place, author: Author) -> frozenset[str]:
    """Groups of a person: by name, and by the roles and teams that the platform tells."""
    person = find_person(settings, place, author)
    groups = {PUBLIC, *settings.access.people.get(person, ())}
    for role in author.groups:
        for name in (f"{place.channel}:{place.workspace}:{role}", f"{place.channel}:{role}"):
            groups.update(settings.access.roles.get(name, ()))
    return frozenset(groups)


def principal_for(settings: Settings, place: Place, author: Author) -> Principal:
    """In a direct message the groups of the person; in a shared place its audience and nothing of theirs."""
    person = find_person(settings, place, author)
    if not place.shared:
        return Principal(person, groups_of(settings, place, author))
    audience = find_for_place(settings.access.channels, place)
    return Principal(person, frozenset((PUBLIC,) if audience is None else audience))


def may_review(settings: Settings, place: Place, author: Author) -> bool:
    """Whether a person may decide on drafts. Without anybody in [reviews] nobody may."""
    if author.is_bot or author.is_self:
        return False
    chosen = settings.reviews
    names = {find_person(settings, place, author), account_name(place, author)}
    if names & set(chosen.people) or groups_of(settings, place, author) & set(chosen.groups):
        return True
    return chosen.platform_staff and author.is_staff


def is_staff_place(settings: Settings, place: Place) -> bool:
    """Whether shares may be shown there."""
    return is_among(place, {*settings.reviews.staff_places, *settings.reviews.notify})
