"""Three short files and the shipped model: right questions are answered, off-topic ones are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain import Answer
from core.providers.local_embeddings import LocalEmbedder
from tests.core.usecases.workspace import Workspace
from tests.services import write_files

FILES = {
    "leave.md": "# Leave\n\nEveryone has 24 days of holiday a year. Ask your lead two weeks before.\n",
    "office.md": "# Office\n\nThe office opens at seven. Visitors sign in at the front desk.\n",
    "経費.md": "# 経費\n\n領収書は30日以内に提出します。500ユーロを超える出張は承認が必要です。\n",
}
RIGHT = {
    "How many days of holiday do I get?": "24 days",
    "When does the office open?": "seven",
    "Where do visitors sign in?": "front desk",
    "領収書はいつまでに提出しますか": "30日以内",
    "承認が必要な出張は？": "500ユーロ",
}
OFF_TOPIC = (
    "How do I reset the printer?",
    "What is the capital of France?",
    "How many pets do I need?",
    "What is the salary of the director?",
    "フランスの首都はどこですか",
    "保証期間はどのくらいですか",
    "社長の給料はいくらですか",
)


@pytest.fixture(scope="module")
def answers(
    migrated_sqlite: Path, local_model: LocalEmbedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Answer]]:
    folder = tmp_path_factory.mktemp("small")
    workspace = Workspace(folder, migrated_sqlite, embedder=local_model)
    workspace.open({})
    yield asyncio.run(_ask_all(workspace, write_files(folder / "files", FILES)))
    workspace.close()


async def _ask_all(workspace: Workspace, folder: Path) -> dict[str, Answer]:
    await workspace.ingest(folder)
    return {question: await workspace.ask(question) for question in [*RIGHT, *OFF_TOPIC]}


@pytest.mark.parametrize("question", RIGHT)
def test_what_three_files_hold_is_found(answers: dict[str, Answer], question: str) -> None:
    assert answers[question].found
    assert RIGHT[question] in answers[question].text


@pytest.mark.parametrize("question", OFF_TOPIC)
def test_what_three_files_do_not_hold_is_not_found(answers: dict[str, Answer], question: str) -> None:
    assert not answers[question].found, answers[question].text
