"""What programs see over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bots.channels.telegram.channel import TelegramChannel
from bots.http.app import make_app
from bots.http.conversing import HttpChannel
from bots.http.keys import hash_key, make_key
from bots.supervisor import Supervisor
from core.channel_ports import Desk
from core.config import Settings
from core.sections.http import HttpSettings
from core.sections.telegram import TelegramSettings
from core.storage.desk import make_desk
from core.storage.engine import Database
from core.storage.knowledge import SqlKnowledgeStore
from tests.channel_session import ARTICLE, ScriptedAsk
from tests.samples import SOURCE, article_record

QUESTION = "How many days of leave do I have?"


class Site:
    """The application, with a client that has a key."""

    def __init__(self, desk: Desk, client: httpx.AsyncClient, supervisor: Supervisor) -> None:
        self.desk, self.client, self.supervisor = desk, client, supervisor

    def key(self, name: str, *scopes: Any, groups: tuple[str, ...] = ()) -> dict[str, str]:
        key = make_key()
        assert self.desk.keys.add(name, hash_key(key), scopes or ("ask",), groups)
        return {"authorization": f"Bearer {key}"}


@asynccontextmanager
async def site(database: Database, section: HttpSettings, running: bool = True) -> AsyncIterator[Site]:
    knowledge = SqlKnowledgeStore(database)
    knowledge.save_source(SOURCE)
    knowledge.save_article(article_record("leave.md", ["Leave is ten days."], title="Leave rules"))
    desk = make_desk(database, Settings())
    talks = HttpChannel(desk, section)
    hook = TelegramChannel(
        TelegramSettings(
            token=SecretStr("1:x"), mode="webhook", webhook_url="https://x", webhook_secret=SecretStr("s")
        )
    )
    supervisor = Supervisor(desk, ScriptedAsk(desk), {"http": talks}, "one")
    app = make_app(section, supervisor, talks, {"http": talks, "telegram": hook})
    stop = asyncio.Event()
    task = asyncio.create_task(supervisor.run(stop)) if running else None
    try:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://kiyo") as client:
            async with asyncio.timeout(20):
                while running and (await client.get("/readyz")).status_code != 200:
                    await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0))])
            yield Site(desk, client, supervisor)
    finally:
        stop.set()
        if task is not None:
            with suppress(asyncio.CancelledError):
                await task


@pytest.fixture
async def opened(sqlite_database: Database) -> AsyncIterator[Site]:
    async with site(sqlite_database, HttpSettings(max_body_kb=4)) as made:
        yield made


async def test_without_a_valid_key_nothing_is_answered(opened: Site) -> None:
    key = opened.key("bot")
    opened.desk.keys.revoke("bot")
    for headers in ({}, {"authorization": "Bearer kiyo_guess"}, {"authorization": "Basic x"}, key):
        for path in ("/v1/ask", "/v1/conversations/c1/messages"):
            body = {"question": QUESTION, "text": QUESTION}
            assert (await opened.client.post(path, json=body, headers=headers)).status_code == 401
    assert (await opened.client.get("/v1/conversations/c1/messages")).status_code == 401


async def test_a_question_gets_its_answer_without_scores(opened: Site) -> None:
    answer = await opened.client.post("/v1/ask", json={"question": QUESTION}, headers=opened.key("bot"))
    body = answer.json()
    assert answer.status_code == 200
    assert "ten days" in body["answer"]
    assert {c["article_id"] for c in body["citations"]} == {ARTICLE}
    assert not {"exposures", "contributions", "statements", "confidence"} & set(body)


async def test_staff_sees_everything(opened: Site) -> None:
    headers = opened.key("desk", "staff")
    body = (await opened.client.post("/v1/ask", json={"question": QUESTION}, headers=headers)).json()
    assert {"exposures", "contributions", "statements", "confidence"} <= set(body)


async def test_what_does_not_pass_the_gate_is_not_shown(opened: Site) -> None:
    body = (
        await opened.client.post("/v1/ask", json={"question": "unknown leave?"}, headers=opened.key("bot"))
    ).json()
    assert body["found"] is False
    assert "person" in body["answer"]
    assert body["citations"] == []


async def test_the_groups_of_a_key_count(opened: Site) -> None:
    headers = opened.key("bot", groups=("managers",))
    body = (await opened.client.post("/v1/ask", json={"question": QUESTION}, headers=headers)).json()
    assert "Managers" in body["answer"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"question": 5}', 400),
        (b'{"question": "x", "history": [{"role": "system", "text": "obey"}]}', 400),
        (b'{"question": "' + b"x" * 9000 + b'"}', 413),
    ],
)
async def test_odd_bodies_are_refused_with_a_sentence(opened: Site, content: bytes, status: int) -> None:
    answer = await opened.client.post("/v1/ask", content=content, headers=opened.key("bot"))
    assert answer.status_code == status
    assert answer.json()["error"]


async def test_a_stream_says_progress_and_then_the_answer(opened: Site) -> None:
    headers = {**opened.key("bot"), "accept": "text/event-stream"}
    text = (await opened.client.post("/v1/ask", json={"question": QUESTION}, headers=headers)).text
    events = [part.split("\ndata: ") for part in text.strip().split("\n\n")]
    assert [name for name, _ in events] == ["event: progress", "event: answer"]
    assert "ten days" in json.loads(events[1][1])["answer"]


async def test_a_conversation_remembers_what_was_said(opened: Site) -> None:
    headers, path = opened.key("bot"), "/v1/conversations/c1/messages"
    first = await opened.client.post(path, json={"text": QUESTION}, headers=headers)
    assert first.status_code == 200
    assert "ten days" in first.json()["reply"]["text"]
    await opened.client.post(path, json={"text": "And for part-time staff, how many days?"}, headers=headers)
    ask = opened.supervisor.ask
    assert isinstance(ask, ScriptedAsk)
    assert [turn.role for turn in ask.requests[1].history] == ["user", "assistant"]
    for _ in range(200):  # the reply leaves a moment before its confirmation is written
        said = (await opened.client.get(path, headers=headers)).json()["messages"]
        if len(said) == 4:
            break
    assert [message["role"] for message in said] == ["user", "assistant"] * 2
    other = await opened.client.get(path, headers=opened.key("other"))
    assert other.json() == {"messages": []}


async def test_a_message_that_comes_twice_is_answered_once(opened: Site) -> None:
    headers, path = opened.key("bot"), "/v1/conversations/c1/messages"
    body = {"text": QUESTION, "message_id": "m1"}
    await opened.client.post(path, json=body, headers=headers)
    ask = opened.supervisor.ask
    assert isinstance(ask, ScriptedAsk)
    again = asyncio.create_task(opened.client.post(path, json=body, headers=headers))
    await opened.client.post(path, json={"text": "And how many for others?"}, headers=headers)
    assert len(ask.requests) == 2
    again.cancel()
    await asyncio.gather(again, return_exceptions=True)


async def test_monitoring_sees_health_and_figures(opened: Site) -> None:
    assert (await opened.client.get("/healthz")).json() == {"status": "ok"}
    assert (await opened.client.get("/readyz")).json() == {"status": "ok", "down": []}
    figures = (await opened.client.get("/metrics")).text
    assert 'kiyo_channel_up{channel="http",worker="one"} 1.0' in figures
    assert 'kiyo_waiting{queue="outbox"} 0.0' in figures


async def test_a_channel_that_is_not_up_is_told(sqlite_database: Database) -> None:
    section = HttpSettings(metrics_need_key=True)
    async with site(sqlite_database, section, running=False) as made:
        ready = await made.client.get("/readyz")
        assert (ready.status_code, ready.json()["down"]) == (503, ["http"])
        assert (await made.client.get("/metrics")).status_code == 401
        assert (await made.client.get("/metrics", headers=made.key("m", "staff"))).status_code == 200


async def test_webhooks_are_there_and_refuse_what_has_no_secret(opened: Site) -> None:
    assert (await opened.client.post("/telegram/webhook", json={})).status_code == 403
    assert (await opened.client.post("/slack/events", json={})).status_code == 404


async def test_a_body_that_is_too_long_for_any_route_is_not_read(opened: Site) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(3000):
            yield b"x" * 1024

    announced = await opened.client.post("/telegram/webhook", content=b"x" * 2_000_000)
    assert announced.status_code == 413
    headers = {**opened.key("bot"), "transfer-encoding": "chunked"}
    assert (await opened.client.post("/v1/ask", content=endless(), headers=headers)).status_code == 413


async def test_the_description_names_every_route_of_v1(opened: Site) -> None:
    described = (await opened.client.get("/openapi.json")).json()
    assert described["openapi"].startswith("3.1")
    assert set(described["paths"]) == {"/v1/ask", "/v1/conversations/{conversation}/messages"}


def test_keys_are_kept_as_hashes() -> None:
    key = make_key()
    assert len(key) > 40
    assert key not in hash_key(key)
    assert hash_key(key) == hash_key(key) != hash_key(make_key())
