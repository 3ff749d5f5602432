"""`kiyo explain` and `kiyo debug toc` on a small store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bots.__main__ import run
from tests.emulators.openai_server import OpenAiServer, Says

# litellm reads two attributes of pydantic's models in a way that pydantic 2.11 calls deprecated.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the 'model_(computed_)?fields' attribute:pydantic.warnings.PydanticDeprecatedSince211"
)

MANUAL = """# Watering manual

## Setup

Screw the valve to the tap.

## Winter

Drain the valve before the first frost.

### Frost damage

Frost damage is not covered by the warranty.

## Warranty

The warranty lasts 24 months.
"""


@pytest.fixture
def store(workplace: Path) -> Path:
    """One manual, searched for anchors."""
    (workplace / "kiyo.toml").write_text('[rag]\nmode = "anchors"\nrelevance_threshold = 0.0\n')
    (workplace / "docs").mkdir()
    (workplace / "docs" / "manual.md").write_text(MANUAL, encoding="utf-8")
    assert run(["ingest", "docs"]) == 0
    return workplace


def output(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    """What the command prints as JSON."""
    capsys.readouterr()
    assert run([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_answer_from_anchors_is_explained(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = output(capsys, "ask", "How long does the warranty last?")
    found = output(capsys, "explain", answer["id"])
    assert found["mode"] == "anchors"
    assert found["trace"]["arbitration"]["order"] in ("clean", "score")
    assert found["trace"]["arbitration"]["calls"] == 0
    assert found["trace"]["candidates"][0]["section"]["title"] == "Warranty"
    assert {one["chunk_id"] for one in found["exposures"]} == {None}
    assert {one["method"] for one in found["trace"]["detectors"]} >= {"keyword_lines", "title_embeddings"}


def test_the_explanation_is_a_text_for_people(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = output(capsys, "ask", "How long does the warranty last?")
    assert run(["explain", answer["id"]]) == 0
    text = capsys.readouterr().out
    assert "Watering manual > Warranty" in text
    assert "keyword_lines" in text
    assert "retrieve" in text


def test_an_answer_from_chunks_is_explained_by_its_exposures(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIYO_RAG__MODE", "hybrid")
    answer = output(capsys, "ask", "How long does the warranty last?")
    found = output(capsys, "explain", answer["id"])
    assert found["mode"] == "hybrid"
    assert found["exposures"][0]["scores"]["keyword"] > 0
    assert found["timings_ms"]["retrieve"] >= 0
    assert run(["explain", answer["id"]]) == 0
    assert "docs/manual.md" in capsys.readouterr().out


def test_traces_that_are_not_kept_leave_the_exposures(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIYO_PRIVACY__KEEP_TRACES_DAYS", "0")
    answer = output(capsys, "ask", "How long does the warranty last?")
    found = output(capsys, "explain", answer["id"])
    assert (found["mode"], found["trace"]) == ("anchors", None)
    assert run(["explain", answer["id"]]) == 0
    assert "no longer kept" in capsys.readouterr().out


def test_an_unknown_answer_is_a_sentence(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "nothing"]) == 1
    assert "There is no answer nothing." in capsys.readouterr().err


def test_the_model_selects_sections_by_their_titles_once(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = '{"reasoning": "Frost comes in winter.", "section_ids": ["1", "2", "id=9", "99"]}'
    with OpenAiServer(Says((said,)), Says((said,))) as server:
        monkeypatch.setenv("KIYO_LLM__MODEL", "openai/emulated")
        monkeypatch.setenv("KIYO_LLM__ENDPOINT", server.url)
        asked = ("debug", "toc", "What about frost?", "--article", "docs/manual.md")
        first = output(capsys, *asked)
        second = output(capsys, *asked)
        assert run([*asked]) == 0
        other = output(capsys, "debug", "toc", "And in summer?", "--article", "docs/manual.md")
        assert len(server.requests) == 2
    assert [section["title"] for section in first["sections"]] == ["Winter", "Frost damage"]
    assert first["rejected"] == ["id=9", "99"]
    assert (first["cached"], second["cached"], other["cached"]) == (False, True, False)
    assert second["sections"] == first["sections"]


def test_without_a_model_nothing_is_selected(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["debug", "toc", "Why?", "--article", "docs/manual.md"]) == 2
    assert "needs a language model" in capsys.readouterr().err


def test_an_unknown_article_is_a_sentence(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIYO_LLM__MODEL", "openai/emulated")
    assert run(["debug", "toc", "Why?", "--article", "docs/other.md"]) == 1
    assert "There is no article docs/other.md" in capsys.readouterr().err
