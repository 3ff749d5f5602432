"""The commands from end to end, with the models and stores that a new user gets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from bots.__main__ import run
from bots.serving import find_free_port
from core.config import Settings
from tests.services import write_files

DOCS = {
    "docs/leave.md": "# Leave\n\nApply for annual leave three working days before.\n",
    "docs/ja/travel.md": "# 出張旅費\n\n宿泊費は1泊14,000円までです。\n",
    "docs/broken.pdf": "not a PDF",
    "secret/pay.md": "# Pay\n\nSenior engineers earn 700,000 yen a month.\n",
}


@pytest.fixture
def docs(workplace: Path) -> Path:
    return write_files(workplace, DOCS)


def output(capsys: pytest.CaptureFixture[str], *command: str, code: int = 0) -> Any:
    """What the command prints as JSON."""
    assert run([*command, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_documents_go_in_and_an_answer_with_its_sources_comes_out(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = output(capsys, "ingest", "docs")
    assert (report["added"], report["skipped"], report["articles"]) == (2, 1, 2)
    answer = output(capsys, "ask", "宿泊費はいくらまでですか")
    assert answer["found"]
    assert "14,000円" in answer["answer"]
    assert answer["language"] == "ja"
    assert answer["citations"][0]["article_id"] == "docs/ja/travel.md"
    assert answer["contributions"][0] | {"strongest": None} == {
        "article_id": "docs/ja/travel.md",
        "share": 1.0,
        "sole_share": 1.0,
        "statements": 1,
        "strongest": None,
        "exposed": True,
    }
    assert run(["ask", "宿泊費はいくらまでですか", "--as", "ana"]) == 0
    shown = capsys.readouterr()
    assert "この回答を支えた記事" in shown.out
    assert "ana is not listed" in shown.err


def test_a_second_ingest_changes_nothing_and_skips_say_why(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", "docs"])
    first = capsys.readouterr().out
    assert "2 added, 1 skipped" in first
    assert "skipped: broken.pdf: " in first
    run(["ingest", "docs"])
    assert "2 unchanged, 1 skipped" in capsys.readouterr().out


def test_without_a_path_the_configured_sources_are_read(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ingest"]) == 1
    assert "Name a folder" in capsys.readouterr().err
    (docs / "kiyo.toml").write_text('[sources.pay]\npath = "secret"\nreaders = ["managers"]\n')
    report = output(capsys, "ingest")
    assert [file["article_id"] for file in report["files"]] == ["pay/pay.md"]
    assert not output(capsys, "ask", "How much do senior engineers earn a month?")["found"]


def test_a_path_that_does_not_exist_ends_with_1(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", "absent"]) == 1
    assert "absent does not exist." in capsys.readouterr().err


def test_an_empty_knowledge_base_says_what_to_do(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "Anything?"]) == 1
    assert "kiyo ingest FOLDER" in capsys.readouterr().err


def test_recorded_answers_are_imported_once(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"question": "Hotels?", "answer": "宿泊費は1泊14,000円までです[1]。", "supplied": ["ja/travel.md"]}
    (docs / "answers.jsonl").write_text(f"{json.dumps(row)}\n{{\n", encoding="utf-8")
    run(["ingest", "docs"])
    capsys.readouterr()
    report = output(capsys, "answers", "import", "answers.jsonl", code=1)
    assert (report["imported"], report["known"]) == (1, 0)
    assert report["problems"][0].startswith("line 2: not valid JSON")
    assert output(capsys, "answers", "import", "answers.jsonl", code=1)["known"] == 1


def test_retrieval_is_measured_without_touching_the_own_store(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = [{"id": "a", "title": "Leave", "text": "Apply for annual leave three days before."}]
    (workplace / "c.jsonl").write_text("\n".join(json.dumps(row) for row in corpus))
    (workplace / "q.jsonl").write_text(json.dumps({"id": "1", "text": "annual leave", "gold_doc_ids": ["a"]}))
    figures = output(capsys, "eval", "retrieval", "--corpus", "c.jsonl", "--queries", "q.jsonl")
    assert figures["recall@1"] == 1.0
    assert figures["mode"] == "hybrid"
    assert not (workplace / ".kiyo").exists()


def test_support_and_attribution_are_measured(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "The office opens at nine. Lunch is at noon."
    rows = [
        {
            "id": "1",
            "lang": "en",
            "source_text": source,
            "sentence": "It opens at nine.",
            "label": "supported",
        },
        {"id": "2", "lang": "en", "source_text": source, "sentence": "Dogs bark.", "label": "unsupported"},
    ]
    (workplace / "s.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert output(capsys, "eval", "support", "--data", "s.jsonl")["auc"] == 1.0
    row = {
        "question": "When does it open?",
        "answer_sentences": ["The office opens at nine."],
        "passages": [
            {"id": "1", "title": "", "text": source},
            {"id": "2", "title": "", "text": "Dogs bark."},
        ],
        "gold": [["1"]],
    }
    (workplace / "a.jsonl").write_text(json.dumps(row))
    assert output(capsys, "eval", "attribution", "--data", "a.jsonl")["top1"] == 1.0
    assert run(["eval", "attribution", "--data", "a.jsonl"]) == 0
    assert "top1" in capsys.readouterr().out


def test_the_database_is_created_and_its_state_told(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = output(capsys, "db", "status", code=1)
    assert status["current"] is None
    assert output(capsys, "db", "upgrade") == {"before": None, "after": status["needed"]}
    assert output(capsys, "db", "status")["up_to_date"] is True
    assert run(["db", "upgrade"]) == 0
    assert "up to date" in capsys.readouterr().out


def test_the_settings_in_effect_are_a_file_that_could_be_loaded(
    workplace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIYO_LLM__API_KEY", "sk-very-secret")
    monkeypatch.setenv("KIYO_RAG__MAX_RESULTS", "3")
    assert run(["config"]) == 0
    shown = capsys.readouterr().out
    assert "sk-very-secret" not in shown
    loaded = Settings.model_validate(tomllib.loads(shown))
    assert loaded.rag.max_results == 3
    assert output(capsys, "config")["rag"]["max_results"] == 3


def test_the_chat_works_piped_and_ends_by_ctrl_c(docs: Path) -> None:
    run(["ingest", "docs"])
    command = [sys.executable, "-m", "bots", "chat"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    piped = subprocess.run(
        command,
        input="When do I apply for annual leave?\n/why\n",
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert "three working days before. [1]" in piped.stdout
    assert "What carried this answer" in piped.stdout
    waiting = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert waiting.stdin is not None
    assert waiting.stdout is not None
    waiting.stdin.write(b"/help\n")
    waiting.stdin.flush()
    waiting.stdout.readline()
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate()
    assert waiting.returncode == 130
    assert b"Traceback" not in said
    assert b"Stopped." in said


def test_a_serving_process_answers_for_others_and_refuses_a_second_one(
    docs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", "docs"])
    command = [sys.executable, "-m", "bots", "serve"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    serving = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    assert serving.stderr is not None
    try:
        assert b"Serving" in serving.stderr.readline()
        capfd.readouterr()
        assert run(["ask", "When do I apply for annual leave?"]) == 0
        asked = capfd.readouterr()
        assert "Another Kiyo process holds the indexes" in asked.err
        assert "three working days before. [1]" in asked.out
        second = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert second.returncode == 1
        assert b"Another Kiyo process" in second.stderr
    finally:
        serving.send_signal(signal.SIGINT)
        _, said = serving.communicate()
    assert serving.returncode == 130
    assert b"Stopped." in said


def test_a_serving_process_answers_over_http_and_ends_when_told(
    docs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(["ingest", "docs"])
    capfd.readouterr()
    assert run(["api-key", "add", "site"]) == 0
    key = capfd.readouterr().out.strip()
    port = find_free_port(0)
    settings = {"KIYO_CHANNELS__HTTP__PORT": str(port), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "bots", "serve"]
    serving = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, **settings})
    assert serving.stderr is not None
    try:
        assert b"Serving http" in serving.stderr.readline()
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            while not _is_ready(client):
                assert serving.poll() is None
            body = {"question": "When do I apply for annual leave?"}
            asked = client.post("/v1/ask", json=body, headers={"authorization": f"Bearer {key}"})
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.communicate()
    assert "three working days before. [1]" in asked.json()["answer"]
    assert serving.returncode == 128 + signal.SIGTERM


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def test_only_configured_channels_can_be_served(docs: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "slack"]) == 2
    assert "[channels.slack]" in capfd.readouterr().err


def test_the_version_is_told(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["version"]) == 0
    assert capsys.readouterr().out.startswith("kiyo ")
