"""How pages are found, and who may open them."""

from __future__ import annotations

import pkgutil
from typing import get_args

import pytest

from core.usecases.people import ROLES, Person, Role
from dashboard import views
from dashboard.pages import Page, find_pages, pages_for, words_of
from dashboard.runtime import Viewer, role_without_sign_in
from dashboard.text import Locale, Words


def test_pages_are_found_in_the_order_of_the_menu() -> None:
    pages = find_pages()
    assert {"quadrants", "gaps", "answer"} <= {page.name for page in pages}
    assert [page.order for page in pages] == sorted(page.order for page in pages)


def test_a_page_is_named_like_its_module() -> None:
    modules = {found.name for found in pkgutil.iter_modules(views.__path__)}
    assert {page.name for page in find_pages()} <= modules


def test_every_page_has_a_title_in_both_languages() -> None:
    for locale in get_args(Locale):
        for page in find_pages():
            assert words_of(page, Words(locale))(page.name)


def test_a_maintainer_may_open_all_and_others_only_what_their_role_includes() -> None:
    assert pages_for(Person("x", "maintainer")) == find_pages()
    for role in ROLES:
        allowed = {"viewer", role} if role != "maintainer" else set(ROLES)
        assert {page.role for page in pages_for(Person("x", role))} <= allowed


def test_a_page_without_words_of_its_own_uses_the_common_ones() -> None:
    def render(viewer: Viewer, words: Words) -> None:
        """Draw nothing."""

    common = Words("en")
    assert words_of(Page("no_such_page", "viewer", 1, render), common) is common


@pytest.mark.parametrize(
    ("address", "role"),
    [
        ("127.0.0.1", "maintainer"),
        ("::1", "maintainer"),
        ("localhost", "maintainer"),
        ("0.0.0.0", "viewer"),
        ("::", "viewer"),
        ("192.168.1.5", "viewer"),
        ("kiyo.example", "viewer"),
        ("", "viewer"),
        (None, "viewer"),
    ],
)
def test_without_sign_in_only_this_machine_may_change_anything(address: str | None, role: Role) -> None:
    assert role_without_sign_in(address) == role


def test_several_roles_open_the_pages_of_each() -> None:
    both = {page.name for page in pages_for(Person("x", "reviewer", frozenset({"labeller"})))}
    assert {"reviews", "labelling"} <= both
    assert "lab" not in both
