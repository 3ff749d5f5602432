"""Retrieval on the sample knowledge base with the shipped model: a change that finds less turns this red."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import core.sample
from core.domain import PUBLIC, Principal
from core.providers.local_embeddings import LocalEmbedder
from core.usecases.refresh import refresh_indexes
from core.usecases.retrieve import Retrieved
from tests.core.usecases.workspace import Workspace

SAMPLE = Path(next(iter(core.sample.__path__)))
FLOOR = 0.87
"""Measured: 50 of 56 (0.893)."""
RESTRICTED = "restricted/"


@dataclass(frozen=True)
class Asked:
    """A question of the sample with what was retrieved for it. articles: below knowledge/, best first."""

    question: dict[str, Any]
    retrieved: Retrieved
    articles: tuple[str, ...]


@pytest.fixture(scope="module")
def asked(
    migrated_sqlite: Path, local_model: LocalEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Asked]]:
    workspace = Workspace(tmp_path_factory.mktemp("sample"), migrated_sqlite, embedder=local_model)
    workspace.open({})
    yield asyncio.run(ask_all(workspace))
    workspace.close()


async def ask_all(workspace: Workspace) -> list[Asked]:
    """Every question, by a person of its groups, with the default settings."""
    knowledge = SAMPLE / "knowledge"
    await workspace.ingest(knowledge / "company/restricted", readers=("managers",))
    await workspace.ingest(knowledge)
    await refresh_indexes(workspace.services)
    content = tomllib.loads((SAMPLE / "questions.toml").read_text("utf-8"))
    return [await ask(workspace, question) for question in [*content["question"], *content["check"]]]


async def ask(workspace: Workspace, question: dict[str, Any]) -> Asked:
    person = Principal("someone", frozenset({PUBLIC, *question.get("groups", ())}))
    retrieved = await workspace.find(question["text"], person)
    shown = (source.candidate.article for source in retrieved.selection.sources)
    roots = {"knowledge": "", "restricted": "company/restricted/"}
    articles = dict.fromkeys(f"{roots[article.source]}{article.path}" for article in shown)
    return Asked(question, retrieved, tuple(articles))


def test_most_questions_have_an_article_that_answers_among_the_first_three(asked: list[Asked]) -> None:
    answerable = [one for one in asked if one.question["expect"]]
    missed = [one for one in answerable if not set(one.articles[:3]) & set(one.question["expect"])]
    assert len(answerable) >= 40
    found = 1 - len(missed) / len(answerable)
    told = "\n".join(f"{one.question['text']}: {', '.join(one.articles[:3])}" for one in missed)
    assert found >= FLOOR, f"{found:.3f} of {len(answerable)}; missed:\n{told}"


def test_nothing_restricted_is_shown_to_people_outside_its_group(asked: list[Asked]) -> None:
    outsiders = [one for one in asked if "managers" not in one.question.get("groups", ())]
    assert any(one.question.get("hidden") for one in outsiders)
    for one in outsiders:
        assert not any(RESTRICTED in article for article in one.articles)
        assert not any(c.article.source == "restricted" for c in one.retrieved.candidates)
        assert not any(c.article.source == "restricted" for c, _ in one.retrieved.selection.cut)


def test_what_is_restricted_is_found_by_its_group(asked: list[Asked]) -> None:
    insiders = [one for one in asked if "managers" in one.question.get("groups", ())]
    assert insiders
    for one in insiders:
        assert set(one.articles[:3]) & set(one.question["expect"]), one.question["text"]
