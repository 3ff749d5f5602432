"""What holds on every channel: the same conversation, over each platform's own SDK where there is a lab."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from core.ports import Turn
from core.storage.engine import Database
from core.storage.outbox import SqlOutboxStore
from core.usecases.conversation.people import account_name
from core.usecases.conversation.places import name_place
from core.usecases.reviews import Actor, approve_review, list_reviews
from tests.channel_session import LONG, DyingOutbox, Session, WorkerKilledError, talking
from tests.fake_channel import FakeLab

PLATFORMS = {"slack": "SlackLab", "discord": "DiscordLab", "telegram": "TelegramLab", "github": "GithubLab"}
QUESTION = "How many days of leave do I have?"


def labs() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {"memory": FakeLab}
    for name, kind in PLATFORMS.items():
        module = f"tests.bots.channels.{name}.lab"
        if find_spec(f"tests.bots.channels.{name}") and find_spec(module):
            found[name] = getattr(import_module(module), kind)
    return found


LABS = labs()


@pytest.fixture(params=LABS)
async def session(request: pytest.FixtureRequest, sqlite_database: Database) -> AsyncIterator[Session]:
    async with LABS[request.param]() as lab, talking(lab, sqlite_database) as opened:
        yield opened


def answers(session: Session) -> list[str]:
    """Posts with an answer of the script, in order."""
    return [text for text in session.texts if "says answer" in text]


async def open_for_staff(session: Session, **more: Any) -> None:
    """Whoever asked first may decide on drafts, and the place of that question is told of them."""
    await session.answered(QUESTION)
    message = session.tapped.messages[0]
    names = {"notify": [name_place(message.place)], "people": [account_name(message.place, message.author)]}
    session.configure(reviews={**names, **more})


async def test_a_question_gets_an_answer_with_its_source(session: Session) -> None:
    await session.answered(QUESTION)
    [answer] = answers(session)
    assert "Leave is ten days" in answer
    assert any("Leave rules" in text for text in session.texts)
    assert "%" not in "".join(session.texts)


async def test_a_follow_up_brings_what_was_said_before(session: Session) -> None:
    await session.answered(QUESTION)
    place = session.tapped.messages[0].place
    await session.answered("How about part-time staff?", thread=place.thread)
    assert Turn("user", QUESTION) in session.ask.requests[1].history
    assert len(answers(session)) == 2


async def test_an_edit_before_the_answer_replaces_the_question(session: Session) -> None:
    message_id = await session.heard(session.lab.say("How many days of lave?"))
    await session.heard(session.lab.edit(message_id, QUESTION))
    await session.until(lambda: bool(answers(session)))
    assert [request.question for request in session.ask.requests] == [QUESTION]


async def test_an_edit_after_the_answer_changes_the_text_and_asks_nothing(session: Session) -> None:
    message_id = await session.answered(QUESTION)
    await session.heard(session.lab.edit(message_id, "How many days of sick leave?"))
    await session.answered("And how many for parents?")
    asked = [request.question for request in session.ask.requests]
    assert asked == [QUESTION, "And how many for parents?"]
    first = session.desk.answers.get_answer(f"{1:021x}")
    assert first is not None
    assert first.question == "How many days of sick leave?"


async def test_what_comes_twice_is_answered_once(session: Session) -> None:
    message_id = await session.answered(QUESTION)
    await session.lab.redeliver(message_id)
    await session.answered("And how many for parents?")
    assert [request.question for request in session.ask.requests] == [QUESTION, "And how many for parents?"]
    assert len(answers(session)) == 2


async def test_a_long_answer_loses_nothing(session: Session) -> None:
    await session.answered("Please say something long about leave, will you?")
    seen = re.sub(r"\s", "", "".join(session.texts))
    assert seen.count("x=1") == LONG.count("x = 1")
    assert seen.count("Word") == LONG.count("Word")
    assert len(session.lab.posts()) > 1 or session.lab.channel.capabilities.max_chars > len(LONG)


async def test_in_a_shared_place_the_groups_of_the_asker_do_not_count(session: Session) -> None:
    await session.answered(QUESTION)
    message = session.tapped.messages[0]
    session.configure(access={"people": {account_name(message.place, message.author): ["managers"]}})
    await session.answered("How many days do managers have?")
    assert not any("Managers have twelve days" in text for text in session.texts)
    await session.answered("How many days do managers have?", dm=True)
    alone = session.lab.channel.capabilities.direct_messages
    assert session.ask.requests[2].principal.groups == ({"public", "managers"} if alone else {"public"})


async def test_the_audience_of_a_place_counts_there(session: Session) -> None:
    await session.answered(QUESTION)
    name = name_place(session.tapped.messages[0].place)
    session.configure(access={"channels": {name: ["public", "managers"]}})
    await session.answered("How many days do managers have?", author="U2")
    assert session.ask.requests[1].principal.groups == {"public", "managers"}


async def test_feedback_is_one_for_each_person_changeable_and_removable(session: Session) -> None:
    await session.answered(QUESTION)
    answer_id = f"{1:021x}"
    for kind in ("helpful", "not_helpful"):
        await session.heard(session.lab.press(kind, answer_id, author="U2"))
    assert [row.kind for row in session.desk.feedback.list_feedback(answer_id)] == ["not_helpful"]
    await session.heard(session.lab.press("wrong_source", answer_id, author="U3"))
    rows = session.desk.feedback.list_feedback(answer_id)
    assert [(row.kind, row.article_id) for row in rows][1:] == [("wrong_source", "docs:leave.md")]
    assert session.desk.feedback.count_by_article() == {"docs:leave.md": 1}
    await session.heard(session.lab.press("withdraw", answer_id, author="U2"))
    assert [row.kind for row in session.desk.feedback.list_feedback(answer_id)] == ["wrong_source"]


async def test_what_is_uncertain_waits_for_a_person_and_staff_is_told(session: Session) -> None:
    await open_for_staff(session)
    await session.answered("What is unknown about leave?", author="U2")
    assert not any("says answer 2" in text and "unknown" not in text for text in session.texts[:-1])
    assert any("a person will look" in text for text in session.texts)
    assert any("What is unknown about leave?" in text for text in session.texts)
    [review] = list_reviews(session.desk)
    assert (review.state, review.question) == ("waiting", "What is unknown about leave?")


async def test_an_approved_draft_is_sent_once_and_then_called_sent(session: Session) -> None:
    await open_for_staff(session)
    await session.answered("What is unknown about leave?", author="U2")
    [review] = list_reviews(session.desk)
    await session.heard(session.lab.press("approve", review.id, author="U9"))
    found = session.desk.reviews.get(review.id)
    assert found is not None
    assert found.state == "waiting"
    for _ in range(2):
        await session.heard(session.lab.press("approve", review.id))
    before = len(session.lab.posts())
    await session.until(lambda: not session.waiting())
    assert len(session.lab.posts()) == before + 1
    found = session.desk.reviews.get(review.id)
    assert found is not None
    assert found.state == "sent"


async def test_an_approval_that_the_platform_refuses_is_failed_and_can_be_repeated(session: Session) -> None:
    await open_for_staff(session)
    await session.answered("What is unknown about leave?", author="U2")
    [review] = list_reviews(session.desk)
    boss = Actor("boss", may_review=True)
    session.lab.fail_next("refuse")
    assert approve_review(session.desk, review.id, boss).state == "done"
    await session.until(lambda: not session.waiting())
    failed = session.desk.reviews.get(review.id)
    assert failed is not None
    assert failed.state == "failed"
    assert failed.error
    assert any("was not delivered" in text for text in session.texts)
    assert approve_review(session.desk, review.id, boss).state == "done"
    await session.until(lambda: not session.waiting())
    sent = session.desk.reviews.get(review.id)
    assert sent is not None
    assert sent.state == "sent"


async def test_a_rate_limit_delays_and_loses_nothing(session: Session) -> None:
    session.lab.fail_next("rate_limit")
    await session.answered(QUESTION)
    assert len(answers(session)) == 1


async def test_an_answer_whose_confirmation_got_lost_is_there_once(session: Session) -> None:
    session.lab.fail_next("lost_answer")
    await session.answered(QUESTION)
    assert len(answers(session)) == 1


async def test_a_worker_that_ends_before_it_notes_the_confirmation_leaves_one_answer(
    session: Session, sqlite_database: Database
) -> None:
    def clock() -> int:
        return int(session.clock().timestamp() * 1000)

    whole = session.desk
    dying = DyingOutbox(sqlite_database, clock)
    session.desk = type(whole)(
        **{name: getattr(whole, name) for name in whole.__dataclass_fields__} | {"outbox": dying}
    )
    await session.heard(session.lab.say(QUESTION))
    await session.drain()
    assert len(answers(session)) == 1
    session.desk = whole
    session.worker = "two"
    assert isinstance(whole.outbox, SqlOutboxStore)
    session.clock.forward(3600)
    await session.until(lambda: not session.waiting())
    assert len(answers(session)) == 1
    assert WorkerKilledError.__name__ not in "".join(session.texts)


async def test_after_a_lost_connection_people_are_answered_again(session: Session) -> None:
    await session.answered(QUESTION)
    await session.lab.disconnect()
    await session.answered("And how many for parents?")
    assert len(answers(session)) == 2


async def test_thanks_are_not_answered_in_a_shared_place(session: Session) -> None:
    await session.heard(session.lab.say("ありがとうございます！"))
    await session.answered(QUESTION)
    assert [request.question for request in session.ask.requests] == [QUESTION]


@pytest.mark.parametrize("name", [name for name, lab in LABS.items() if hasattr(lab, "delete")])
async def test_a_deleted_question_is_not_answered_and_its_text_goes(
    name: str, sqlite_database: Database
) -> None:
    async with LABS[name]() as lab, talking(lab, sqlite_database) as session:
        early = await session.heard(session.lab.say("How many days of secret leave?"))
        await session.heard(lab.delete(early))
        late = await session.answered(QUESTION)
        await session.heard(lab.delete(late))
        assert [request.question for request in session.ask.requests] == [QUESTION]
        answer = session.desk.answers.get_answer(f"{1:021x}")
        assert answer is not None
        assert answer.question == ""
