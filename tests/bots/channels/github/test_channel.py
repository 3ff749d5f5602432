"""The connection to GitHub, with its real library against a server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bots.channels.github.channel import WEBHOOK_PATH, GithubChannel
from bots.channels.github.webhooks import Self, read_delivery
from core.errors import AmbiguousSendError, ChannelError, RateLimitedError, RefusedError
from core.messages import IncomingAction, IncomingMessage, Parcel, Place, Reply
from core.sections.github import GithubSettings, RepositorySettings
from tests.bots.channels.github.lab import PollingLab
from tests.bots.channels.inboxes import KeepingInbox, running
from tests.emulators.github import BOT, REPOSITORY, TOKEN, content, delivery


@pytest.fixture
async def lab() -> AsyncIterator[PollingLab]:
    async with PollingLab() as opened:
        yield opened


def parcel(lab: PollingLab, key: str = "k1", text: str = "An answer.") -> Parcel:
    place = Place("github", REPOSITORY, f"issue/{lab.issue['number']}")
    (part,) = lab.channel.render(Reply(text, "en"), place)
    return Parcel(key, place, "", part)


async def test_a_mention_in_a_comment_is_answered_below_it(lab: PollingLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        comment = await lab.say("保証は何年ですか？")
        await inbox.wait_for(messages=1)
        receipt = await lab.channel.deliver(parcel(lab))
    message = inbox.messages[0]
    assert (message.text, message.addressed, message.message_id) == ("保証は何年ですか？", True, comment)
    assert message.place == Place(
        "github", REPOSITORY, f"issue/{lab.issue['number']}", name=f"{REPOSITORY}#{lab.issue['number']}"
    )
    (post,) = lab.posts()
    assert post.text.startswith("An answer.\n\n<!-- kiyo:k1 -->")
    assert receipt.message_ids == post.ids


async def test_our_own_comment_comes_back_as_our_own(lab: PollingLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.channel.deliver(parcel(lab, text=f"Somebody wrote @{BOT} /ask"))
        await lab.say("next")
        await inbox.wait_for(messages=2)
    assert [(m.author.is_self, m.author.id) for m in inbox.messages] == [(True, BOT), (False, "aki")]


async def test_an_edited_comment_is_told_as_new_and_as_edited(lab: PollingLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        lab.emulator.add_comment(int(lab.issue["number"]), f"@{BOT} how?", updated_at="2026-11-30T12:05:00Z")
        lab.look()
        await inbox.wait_for(messages=2)
    assert [m.change for m in inbox.messages] == ["new", "edited"]


async def test_new_issues_are_answered_where_the_repository_wants_it() -> None:
    inbox = KeepingInbox()
    async with PollingLab(new_issues=True, labels=("question",)) as lab:
        lab.emulator.add_issue("How?", labels=[{"name": "question"}], title="Leave")
        lab.emulator.add_issue("It is broken.", labels=[{"name": "bug"}])
        lab.emulator.add_issue("A change.", pull_request={"url": "x"})
        async with running(lab.channel, inbox):
            await inbox.wait_for(messages=2)
    assert [(m.addressed, m.title, m.text) for m in inbox.messages] == [
        (True, "Leave", "How?"),
        (False, "A question", "It is broken."),
    ]


async def test_a_discussion_is_answered_in_its_thread(lab: PollingLab) -> None:
    talk = lab.emulator.add_discussion("A talk.")
    root = lab.emulator.add_discussion_comment(talk["number"], "First.")
    lab.emulator.add_discussion_comment(talk["number"], f"@{BOT} how?", root=root["id"])
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await inbox.wait_for(messages=3)
        asked = next(m for m in inbox.messages if m.addressed)
        (part,) = lab.channel.render(Reply("So.", "en"), asked.place)
        sent = Parcel("k9", asked.place, "", part)
        receipt = await lab.channel.deliver(sent)
        found = await lab.channel.find_delivered(sent)
    assert asked.place.thread == root["id"]
    assert root["replies"]["nodes"][-1]["body"].startswith("So.")
    assert found == receipt


async def test_commands_in_comments_are_actions_about_our_last_comment(lab: PollingLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        await lab.channel.deliver(parcel(lab))
        await lab.say("/kiyo helpful", mention=False)
        await inbox.wait_for(actions=1)
        await lab.say("/kiyo approve r1", mention=False)
        await inbox.wait_for(actions=2)
    (post,) = lab.posts()
    assert (inbox.actions[0].kind, inbox.actions[0].target, inbox.actions[0].message_id) == (
        "helpful",
        "",
        post.ids[0],
    )
    assert {(a.kind, a.target) for a in inbox.actions} >= {("approve", "r1")}


async def test_reactions_are_feedback_and_their_removal_takes_it_back(lab: PollingLab) -> None:
    inbox = KeepingInbox()
    async with running(lab.channel, inbox):
        receipt = await lab.channel.deliver(parcel(lab))
        mine = lab.emulator.reactions.setdefault(receipt.message_ids[0], [])
        mine += [
            {"id": 1, "content": "+1", "user": {"login": "aki"}},
            {"id": 2, "content": "eyes", "user": {"login": "ken"}},
        ]
        lab.look()
        await inbox.wait_for(actions=1)
        mine.clear()
        lab.look()
        await inbox.wait_for(actions=2)
    assert [(a.kind, a.author.id, a.message_id) for a in inbox.actions] == [
        ("helpful", "aki", receipt.message_ids[0]),
        ("withdraw", "aki", receipt.message_ids[0]),
    ]


async def test_a_wait_that_github_asks_for_is_passed_on(lab: PollingLab) -> None:
    lab.fail_next("rate_limit")
    with pytest.raises(RateLimitedError) as refused:
        await lab.channel.deliver(parcel(lab))
    assert refused.value.retry_after == 4
    assert lab.posts() == []


@pytest.mark.parametrize("fault", ["lost_answer", "server_error"])
async def test_after_an_ambiguous_failure_the_comment_is_found_again(lab: PollingLab, fault: str) -> None:
    await lab.channel.deliver(parcel(lab, "k0"))
    lab.fail_next(fault)
    with pytest.raises(AmbiguousSendError) as failed:
        await lab.channel.deliver(parcel(lab))
    assert TOKEN not in str(failed.value)
    found = await lab.channel.find_delivered(parcel(lab))
    assert found is not None
    assert found.message_ids == lab.posts()[-1].ids
    assert len(lab.posts()) == 2
    assert await lab.channel.find_delivered(parcel(lab, "k2")) is None


async def test_a_locked_issue_says_so(lab: PollingLab) -> None:
    lab.fail_next("refuse")
    with pytest.raises(RefusedError, match="locked"):
        await lab.channel.deliver(parcel(lab))


async def test_the_check_names_token_and_repositories(lab: PollingLab) -> None:
    assert [finding.ok for finding in await lab.channel.check()] == [True, True]
    wrong = GithubChannel(lab.settings(token=SecretStr("ghp_wrong")))
    try:
        (finding,) = await wrong.check()
        assert not finding.ok
        with pytest.raises(ChannelError):
            await wrong.run(KeepingInbox())
    finally:
        await asyncio.to_thread(wrong.close)


async def test_over_webhooks_only_signed_deliveries_are_heard(lab: PollingLab) -> None:
    channel = GithubChannel(lab.settings(mode="webhook"), wait=asyncio.Event().wait)
    app, inbox = Starlette(routes=channel.routes()), KeepingInbox()
    issue, comment = {"number": 5}, {"id": 7, "node_id": "IC_7", **content(f"@{BOT} how?", "aki")}
    body, headers = delivery("issue_comment", "created", issue=issue, comment=comment)

    async def post(headers: Mapping[str, str]) -> int:
        def send() -> int:
            with TestClient(app) as client:
                return client.post(WEBHOOK_PATH, content=body, headers=dict(headers)).status_code

        return await asyncio.to_thread(send)

    try:
        async with running(channel, inbox):
            async with asyncio.timeout(20):
                while (status := await post(headers)) == 503:
                    """GitHub has not told yet who we are."""
            assert status == 202
            assert await post({**headers, "X-Hub-Signature-256": "sha256=00"}) == 403
            assert await post({k: v for k, v in headers.items() if "Signature" not in k}) == 403
    finally:
        await asyncio.to_thread(channel.close)
    assert [(m.message_id, m.text) for m in inbox.messages] == [("comment-7", "how?")]


def read(
    event: str, action: str, settings: GithubSettings, **more: Any
) -> IncomingMessage | IncomingAction | None:
    payload = {"action": action, "repository": {"full_name": REPOSITORY}, **more}
    return read_delivery(event, payload, settings, Self("kiyo[bot]", 9), "d-1")


def rules(**more: Any) -> GithubSettings:
    return GithubSettings(token=SecretStr("t"), repositories={REPOSITORY: RepositorySettings(**more)})


@pytest.mark.parametrize(
    ("body", "addressed"),
    [
        ("@kiyo how?", True),
        ("@KIYO[bot] how?", True),
        ("@kiyoshi how?", False),
        ("> @kiyo how?\n\nI agree.", False),
        ("`@kiyo` is the bot", False),
        ("/kiyo ask how?", True),
    ],
)
def test_only_what_the_writer_says_is_a_mention(body: str, addressed: bool) -> None:
    comment = {"id": 1, "node_id": "n", **content(body, "aki")}
    found = read("issue_comment", "created", rules(), issue={"number": 1}, comment=comment)
    assert isinstance(found, IncomingMessage)
    assert found.addressed is addressed


def test_other_repositories_labels_and_pull_requests_are_left_alone() -> None:
    settings = GithubSettings(token=SecretStr("t"))
    issue = {"number": 1, "title": "T", **content("x", "aki")}
    assert read("issues", "opened", settings, issue=issue) is None
    assert read("issues", "labeled", rules(), issue=issue) is None
    assert read("issues", "opened", rules(), issue={**issue, "pull_request": {}}) is None


def test_maintainers_are_left_alone_where_the_repository_wants_it() -> None:
    comment = {"id": 1, "node_id": "n", **content("@kiyo how?", "boss"), "author_association": "MEMBER"}
    found = read(
        "issue_comment", "created", rules(answer_maintainers=False), issue={"number": 1}, comment=comment
    )
    assert isinstance(found, IncomingMessage)
    assert (found.addressed, found.author.is_staff) == (False, True)


def test_our_app_and_other_bots_are_recognised() -> None:
    ours = {"id": 1, "node_id": "n", **content("@kiyo", "x"), "performed_via_github_app": {"id": 9}}
    other = {"id": 2, "node_id": "m", **content("@kiyo /ask", "ci[bot]")}
    found = [read("issue_comment", "created", rules(), issue={"number": 1}, comment=c) for c in (ours, other)]
    authors = [one.author for one in found if isinstance(one, IncomingMessage)]
    assert [(author.is_self, author.is_bot) for author in authors] == [(True, False), (False, True)]


def test_a_deleted_comment_loses_its_text() -> None:
    comment = {"id": 1, "node_id": "n", **content("@kiyo how?", "aki")}
    found = read("issue_comment", "deleted", rules(), issue={"number": 1}, comment=comment)
    assert isinstance(found, IncomingMessage)
    assert (found.change, found.text) == ("deleted", "")
