"""The checks of `kiyo doctor`: what is in order, what is not, and what to do about it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal

from bots.channels.making import configured, make_channel
from core.config import Settings, load_settings
from core.errors import KiyoError, SettingsError
from core.messages import CheckFinding
from core.ports import AnswerRequest, Services, Source

Status = Literal["ok", "warn", "fail"]
EXTRAS = {
    "chroma": "chromadb",
    "llm": "litellm",
    "dashboard": "streamlit",
    "postgres": "psycopg",
    "http": "uvicorn",
    "slack": "slack_bolt",
    "discord": "discord",
    "telegram": "telegram",
    "github": "github",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One check. advice: what to do, "" when nothing is to be done."""

    name: str
    status: Status
    found: str
    advice: str = ""


def run_checks() -> Iterator[Check]:
    """Every check, in the order in which a fault would show."""
    yield check_python()
    try:
        settings = load_settings()
    except SettingsError as error:
        yield Check("settings", "fail", str(error), "Mend kiyo.toml or the environment variable.")
        return
    yield Check("settings", "ok", os.environ.get("KIYO_CONFIG", "kiyo.toml and the environment"))
    yield check_folder(settings)
    yield from check_extras(settings)
    yield check_database(settings)
    yield check_embedding_model(settings)
    yield from check_indexes(settings)
    yield from check_channels(settings)


def check_python() -> Check:
    version = ".".join(str(part) for part in sys.version_info[:3])
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Check("python", "ok", version)
    return Check("python", "fail", version, "Use Python 3.11, 3.12 or 3.13.")


def check_folder(settings: Settings) -> Check:
    """Whether Kiyo can write where it keeps its files."""
    folder = settings.folder.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        found = f"{folder}: {error.strerror or error}"
        return Check("folder", "fail", found, "Make it writable, or set [storage] folder.")
    return Check("folder", "ok", str(folder))


def check_extras(settings: Settings, extras: Mapping[str, str] = EXTRAS) -> Iterator[Check]:
    """Which optional packages are installed; one that the settings need must be."""
    needed = set()
    if settings.memory.embeddings.vector_store == "chroma":
        needed.add("chroma")
    if settings.llm.model or settings.memory.embeddings.provider in ("openai", "ollama", "litellm"):
        needed.add("llm")
    if settings.storage.url.startswith("postgresql"):
        needed.add("postgres")
    needed.update(configured(settings))
    for extra, module in extras.items():
        name, install = f"extra {extra}", f'pip install -e ".[{extra}]"'
        if find_spec(module) is not None:
            yield Check(name, "ok", "installed")
        elif extra in needed:
            yield Check(name, "fail", "missing, but the settings need it", install)
        else:
            yield Check(name, "warn", "not installed", f"If you want it: {install}")


def check_channels(settings: Settings) -> Iterator[Check]:
    """Tokens, scopes and webhooks of every configured channel, as its platform sees them."""
    for name in configured(settings):
        try:
            findings = asyncio.run(_check_channel(settings, name))
        except KiyoError as error:
            yield Check(name, "fail", str(error), f"See the page of the channel {name}.")
            continue
        for finding in findings:
            advice = "" if finding.ok else f"See the page of the channel {name}."
            yield Check(finding.name, "ok" if finding.ok else "fail", finding.message, advice)


async def _check_channel(settings: Settings, name: str) -> list[CheckFinding]:
    if name != "http":
        return await make_channel(settings, name).check()
    from bots.http.conversing import HttpChannel
    from core.app import open_desk

    section = settings.channels.http
    assert section is not None
    with open_desk(settings) as desk:
        return await HttpChannel(desk, section).check()


def check_database(settings: Settings) -> Check:
    """Whether the database can be reached and has the schema of this version."""
    from core.storage.migrating import current_revision, head_revision

    try:
        current, head = current_revision(settings.database_url), head_revision()
    except KiyoError as error:
        return Check("database", "fail", str(error), "Check [storage] url.")
    if current is None:
        return Check("database", "warn", "not created yet", "Run `kiyo ingest FOLDER`, or `kiyo db upgrade`.")
    if current != head:
        return Check("database", "fail", f"revision {current}, needed {head}", "Run `kiyo db upgrade`.")
    return Check("database", "ok", f"revision {current}")


def check_embedding_model(settings: Settings) -> Check:
    """Whether the embedding model loads and gives vectors of the size that it promises."""
    from core.app import make_embedder

    advice = "Check [memory.embeddings]."
    try:
        embedder = make_embedder(settings)
        vector = asyncio.run(embedder.embed_query("test"))
    except KiyoError as error:
        return Check("embedding model", "fail", str(error), advice)
    if vector.shape != (embedder.dimensions,):
        return Check("embedding model", "fail", f"{embedder.id} gives vectors of {vector.shape[0]}", advice)
    return Check("embedding model", "ok", f"{embedder.id}, {embedder.dimensions} dimensions")


def check_indexes(settings: Settings) -> Iterator[Check]:
    """The lock, and if it is free the indexes and the language model."""
    from core.storage.migrating import current_revision, head_revision

    if current_revision(settings.database_url) != head_revision():
        return
    from bots.running import open_services

    try:
        with open_services(settings) as services:
            yield Check("lock", "ok", "free")
            yield _index_state(services)
            yield _language_model(services)
    except KiyoError as error:
        yield Check("lock", "warn", str(error), "Fine if that process is meant to run; it does the work.")


def _index_state(services: Services) -> Check:
    counts = services.knowledge.counts()
    if counts.articles == 0:
        return Check("indexes", "warn", "the knowledge base is empty", "Run `kiyo ingest FOLDER`.")
    if services.knowledge.articles_without_vectors(
        services.embedder.id, spans=services.embedder.embeds_lines, limit=1
    ):
        return Check(
            "indexes", "fail", "some chunks have no vector of the configured model", "Run `kiyo reindex`."
        )
    behind = [
        name
        for name, index in (("keyword", services.keyword), ("vector", services.vector))
        if index.revision < counts.revision
    ]
    if behind:
        found = f"{' and '.join(behind)} behind the database"
        return Check("indexes", "warn", found, "The next question brings them up to date, or `kiyo reindex`.")
    return Check("indexes", "ok", f"{counts.articles} articles in {counts.chunks} chunks")


def _language_model(services: Services) -> Check:
    if not services.settings.llm.model:
        return Check("language model", "ok", "none configured; answers quote the documents")
    source = Source(1, "Test", "Test", "The sky is blue.", 1.0, (), "test")
    request = AnswerRequest("What colour is the sky?", "en", (source,))
    try:
        draft = asyncio.run(services.answerer.answer(request))
    except KiyoError as error:
        return Check("language model", "fail", str(error), "Check [llm], the key and the network.")
    return Check("language model", "ok", f"{draft.model} answers")
