"""The steps of `kiyo demo`: the sample knowledge base in, questions asked, what carried them shown.

Everything lives in one folder that is made anew each time; the user's own store is never touched.
"""

from __future__ import annotations

import shutil
import sys
import threading
import tomllib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bots.background import ServiceThread
from bots.console import note, show_progress, write
from bots.labels import FIELDS
from bots.rendering import align_columns, render_answer
from bots.titles import titles_of
from core.config import Settings, load_settings
from core.contribution.quadrants import QUADRANTS, classify_quadrant, find_thresholds
from core.domain import PUBLIC, Principal
from core.errors import OperatorError
from core.ports import Services
from core.usecases.answer_json import answer_to_json
from core.usecases.ingest import IngestRequest
from core.usecases.jobs import ingest_payload, perform
from core.usecases.recorded import ImportReport, import_answers
from core.usecases.reply import AskRequest, answer_question

FOLDER = Path("demo")
STAFF = "maintainer"
STAFF_GROUPS = ("managers",)
CONFIG = "kiyo.toml"
ALL_TIME = (date(1970, 1, 1), date(9999, 12, 31))
RESTRICTED = Path("company") / "restricted"


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question and the groups of the person who asks it."""

    text: str
    groups: frozenset[str]


def prepare_folder(folder: Path) -> Settings:
    """An empty folder with settings of its own. Raises OperatorError if it holds something else."""
    from core.app import index_lock

    config = folder / CONFIG
    if folder.exists():
        if any(folder.iterdir()) and not config.is_file():
            raise OperatorError(f"{folder.absolute()} holds files that are not the demo's; move them away.")
        with index_lock(Settings.model_validate({"storage": {"folder": str(folder)}})):
            pass  # another demo that still runs here is refused by name
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    config.write_text(_config_text(folder), encoding="utf-8")
    return load_settings(config, {})


def run_steps(services: ServiceThread, settings: Settings) -> None:
    """Ingest, ask, import the examples, show the four fields."""
    knowledge = sample_folder() / "knowledge"
    with show_progress() as progress:
        requests = (
            IngestRequest(knowledge / RESTRICTED, readers=STAFF_GROUPS),
            IngestRequest(knowledge),
        )
        payload = ingest_payload(requests)
        report = services.call(lambda opened: perform(opened, "ingest", payload, progress))
    write(f"The sample knowledge base: {report['articles']} articles in {report['chunks']} chunks.")
    for number, question in enumerate(read_questions(), start=1):
        write(f"\n{'─' * 72}\n{number}. {question.text}\n")
        write(services.call(partial(_answer, question)))
    with show_progress() as progress:
        lines = (sample_folder() / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        imported: ImportReport = services.call(lambda opened: import_answers(opened, lines, progress))
    write(f"\n{'─' * 72}\n{imported.imported} recorded example answers were imported and measured.")
    for problem in imported.problems:
        note(problem)
    write(f"\n{describe_quadrants(settings)}")


def read_questions() -> list[DemoQuestion]:
    """The questions of the sample."""
    parsed: dict[str, Any] = tomllib.loads((sample_folder() / "questions.toml").read_text(encoding="utf-8"))
    return [
        DemoQuestion(item["text"], frozenset({PUBLIC, *item.get("groups", ())}))
        for item in parsed["question"]
    ]


def sample_folder() -> Path:
    """Where the sample knowledge base is installed."""
    return Path(str(files("core.sample")))


def describe_quadrants(settings: Settings) -> str:
    """The articles that were shown or carried anything, by field."""
    from core.storage.engine import open_database
    from core.storage.knowledge import SqlKnowledgeStore
    from core.storage.reports import Period, Reports

    database = open_database(settings.database_url)
    try:
        staff = Principal(STAFF, frozenset({PUBLIC, *STAFF_GROUPS}))
        audiences = SqlKnowledgeStore(database).readable_audiences(staff)
        rows = Reports(database).quadrant_rows(Period(*ALL_TIME), audiences)
    finally:
        database.close()
    thresholds = find_thresholds((row.exposure, row.rate) for row in rows)
    placed = [(classify_quadrant(row.exposure, row.rate, thresholds), row) for row in rows]
    placed.sort(key=lambda pair: (QUADRANTS.index(pair[0]), -pair[1].contribution, -pair[1].exposure))
    table: list[Sequence[str]] = [("article", "exposure", "rate", "field")]
    for field, row in placed:
        rate = "–" if row.rate is None else f"{row.rate:.0%}"
        table.append((row.title, str(row.exposure), rate, FIELDS[field]))
    counts = ", ".join(
        f"{sum(field == placed_in for placed_in, _ in placed)} {FIELDS[field]}" for field in QUADRANTS
    )
    return "\n".join([*align_columns(table), "", counts])


def serve(services: ServiceThread, folder: Path) -> None:
    """The dashboard and the terminal chat, until the chat ends; without a terminal the dashboard stays
    until this process is told to end."""
    from bots.conversation import hold_conversation
    from bots.serving import GROUPS_VARIABLE, find_free_port, running_dashboard

    environment = {"KIYO_CONFIG": str((folder / CONFIG).absolute()), GROUPS_VARIABLE: ",".join(STAFF_GROUPS)}
    with ExitStack() as running:
        address = running.enter_context(running_dashboard(find_free_port(), environment))
        write(f"\nDashboard:  {address}")
        write("Chat:       here. /why shows what carried the last answer, /quit ends the demo.")
        left = hold_conversation(services, Principal(STAFF, frozenset({PUBLIC, *STAFF_GROUPS})))
        if not left and not sys.stdin.isatty():
            note("There is no more input; the dashboard stays until Ctrl-C.")
            threading.Event().wait()


async def _answer(question: DemoQuestion, services: Services) -> str:
    asked_by = Principal(STAFF if question.groups > {PUBLIC} else "visitor", question.groups)
    answer = answer_to_json(await answer_question(services, AskRequest(question.text, asked_by, "demo")))
    return render_answer(answer, titles_of(services.knowledge, answer))


def _config_text(folder: Path) -> str:
    """Settings of the demo: the defaults, in this folder."""
    path = str(folder.absolute()).replace("\\", "/").replace('"', '\\"')
    store = "chroma" if find_spec("chromadb") else "sqlite"
    return f'[storage]\nfolder = "{path}"\n\n[memory.embeddings]\nvector_store = "{store}"\n'
