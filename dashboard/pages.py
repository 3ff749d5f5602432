"""What a page is, and how the pages are found; what they show is left to `dashboard.views`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn
from urllib.parse import quote, urlencode

import streamlit as st

from core.usecases.people import Person, Role
from dashboard import views
from dashboard.runtime import Viewer
from dashboard.text import Words
from dashboard.words.lookup import PageWords


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name in the address, the role it needs, its place in the menu, and what draws it.

    The title is the word of the page's name. Pages of the same order are sorted by name.
    """

    name: str
    role: Role
    order: int
    render: Callable[[Viewer, Words], None]


def find_pages() -> list[Page]:
    """The `PAGE` of every module of `dashboard.views` that has one, in the order of the menu."""
    modules = (
        import_module(f"{views.__name__}.{found.name}") for found in pkgutil.iter_modules(views.__path__)
    )
    pages = [page for module in modules if isinstance(page := getattr(module, "PAGE", None), Page)]
    return sorted(pages, key=lambda page: (page.order, page.name))


def pages_for(person: Person) -> list[Page]:
    """Those that this person may open."""
    return [page for page in find_pages() if person.may(page.role)]


def words_of(page: Page, common: Words) -> Words:
    """The words of `dashboard/words/<page>.py`, where there is such a module, before the common ones."""
    name = f"dashboard.words.{page.name}"
    if find_spec(name) is None:
        return common
    own: Mapping[str, tuple[str, str]] = import_module(name).WORDS
    return PageWords(common, own)


def go_to(name: str, query: Mapping[str, str]) -> NoReturn:
    """Show another page; Streamlit knows it by its place in the address."""
    st.switch_page(st.Page(_nowhere, title=name, url_path=name), query_params=dict(query))


def _nowhere() -> None:
    """Stands for a page that `st.navigation` knows already."""


def article_links(words: Words) -> Callable[[str], str]:
    """For any article the address of its page, from that of any other page, with the period kept."""
    kept = {"period": period} if (period := st.query_params.get("period")) else {}
    rest = urlencode({**kept, "lang": words.locale})
    return lambda article_id: f"article?article={quote(article_id, safe='')}&{rest}"


def article_link(article_id: str, words: Words) -> str:
    """The same for one article."""
    return article_links(words)(article_id)
