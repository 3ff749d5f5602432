"""What GitHub sends, as messages and actions. Fields are those of https://docs.github.com/webhooks.

A place is an issue or a discussion; comments of a discussion have threads of one level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, get_args

from core.messages import ActionKind, Author, Change, IncomingAction, IncomingMessage, Place
from core.sections.github import GithubSettings, RepositorySettings

CHANNEL = "github"
STAFF = ("OWNER", "MEMBER", "COLLABORATOR")
_CHANGES: dict[str, Change] = {"opened": "new", "created": "new", "edited": "edited", "deleted": "deleted"}
_COMMAND = re.compile(r"^\s*/kiyo\s+(?P<kind>[a-z_]+)(?:\s+(?P<rest>.*))?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Self:
    """This bot: its login, and the number of its app (0 for a token)."""

    login: str
    app: int


def read_delivery(
    event: str, payload: Mapping[str, Any], settings: GithubSettings, me: Self, delivery: str
) -> IncomingMessage | IncomingAction | None:
    """None for events, actions and repositories that are not Kiyo's."""
    change = _CHANGES.get(str(payload.get("action")))
    repository = str((payload.get("repository") or {}).get("full_name") or "")
    rules = settings.repositories.get(repository)
    if change is None or rules is None:
        return None
    reader = Reader(settings, rules, repository, me)
    if event == "issues":
        return reader.read_issue(payload["issue"], change)
    if event == "issue_comment":
        return reader.read_comment(payload["comment"], payload["issue"], change, delivery)
    if event == "discussion":
        return reader.read_discussion(payload["discussion"], change)
    if event == "discussion_comment":
        return reader.read_discussion_comment(payload["comment"], payload["discussion"], change, delivery)
    return None


@dataclass(frozen=True, slots=True)
class Reader:
    """Objects of one repository as messages, whether a webhook brought them or a list."""

    settings: GithubSettings
    rules: RepositorySettings
    repository: str
    me: Self

    def read_issue(self, issue: Mapping[str, Any], change: Change) -> IncomingMessage | None:
        """Pull requests are no questions."""
        if "pull_request" in issue:
            return None
        labels = tuple(str(label["name"]) for label in issue.get("labels") or ())
        wanted = self.rules.new_issues and (
            not self.rules.labels or bool(set(labels) & set(self.rules.labels))
        )
        return self._message(
            issue,
            place=self._place("issue", issue),
            message_id=f"issue-{issue['number']}",
            change=change,
            wanted=wanted,
            labels=labels,
        )

    def read_comment(
        self, comment: Mapping[str, Any], issue: Mapping[str, Any], change: Change, delivery: str
    ) -> IncomingMessage | IncomingAction | None:
        place = self._place("issue", issue)
        command = self._read_command(comment, place, change, delivery)
        if command is not None:
            return command
        return self._message(
            comment, place=place, message_id=f"comment-{comment['id']}", change=change, wanted=False
        )

    def read_discussion(self, discussion: Mapping[str, Any], change: Change) -> IncomingMessage | None:
        return self._message(
            discussion,
            place=self._place("discussion", discussion),
            message_id=f"discussion-{discussion['number']}",
            change=change,
            wanted=self.rules.new_discussions,
        )

    def read_discussion_comment(
        self, comment: Mapping[str, Any], discussion: Mapping[str, Any], change: Change, delivery: str
    ) -> IncomingMessage | IncomingAction | None:
        """An answer to a comment is a reply to its root, since replies have no replies."""
        root = str(comment.get("root_node_id") or comment["node_id"])
        place = self._place("discussion", discussion, thread=root)
        command = self._read_command(comment, place, change, delivery)
        if command is not None:
            return command
        message_id = f"discussion-comment-{comment['node_id']}"
        return self._message(comment, place=place, message_id=message_id, change=change, wanted=False)

    def author(self, user: Mapping[str, Any], item: Mapping[str, Any]) -> Author:
        login = str(user.get("login") or "ghost")
        app = (item.get("performed_via_github_app") or {}).get("id")
        return Author(
            id=login,
            name=login,
            is_bot=user.get("type") == "Bot" or login.endswith("[bot]"),
            is_self=login == self.me.login or (self.me.app != 0 and app == self.me.app),
            is_staff=item.get("author_association") in STAFF,
        )

    def _message(
        self,
        item: Mapping[str, Any],
        *,
        place: Place,
        message_id: str,
        change: Change,
        wanted: bool,
        labels: tuple[str, ...] = (),
    ) -> IncomingMessage:
        author = self.author(item.get("user") or {}, item)
        text, called = self._strip_call(str(item.get("body") or ""))
        silent = author.is_staff and not self.rules.answer_maintainers
        title = str(item.get("title") or "")
        return IncomingMessage(
            place=place,
            message_id=message_id,
            author=author,
            text="" if change == "deleted" else text,
            sent_at=read_time(str(item.get("created_at") or "")),
            addressed=(called or wanted) and not silent,
            change=change,
            title=title,
            labels=labels,
            kind="command" if _COMMAND.match(str(item.get("body") or "")) else "message",
        )

    def _strip_call(self, text: str) -> tuple[str, bool]:
        command = _COMMAND.match(text)
        if command is not None and command["kind"] == "ask":
            return (command["rest"] or "").strip(), True
        name = re.compile(
            rf"(?<![\w`/-])@{re.escape(self.settings.name)}(?:\[bot\])?(?![\w-])", re.IGNORECASE
        )
        if not name.search(_without_quotes(text)):
            return text.strip(), False
        return name.sub("", text).strip(" ,:、：\n"), True

    def _read_command(
        self, comment: Mapping[str, Any], place: Place, change: Change, delivery: str
    ) -> IncomingAction | None:
        found = _COMMAND.match(str(comment.get("body") or ""))
        kind = next((known for known in get_args(ActionKind) if found and known == found["kind"]), None)
        author = self.author(comment.get("user") or {}, comment)
        if found is None or kind is None or change != "new" or author.is_bot or author.is_self:
            return None
        target, _, value = (found["rest"] or "").strip().partition(" ")
        known: ActionKind = kind
        return IncomingAction(
            place=place,
            event_id=f"command:{comment.get('node_id') or delivery}",
            author=author,
            kind=known,
            target=target,
            value=value.strip(),
        )

    def _place(self, kind: str, item: Mapping[str, Any], thread: str = "") -> Place:
        name = f"{self.repository}#{item['number']}"
        return Place(CHANNEL, self.repository, f"{kind}/{item['number']}", thread, shared=True, name=name)


def read_time(stamp: str) -> datetime:
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def _without_quotes(text: str) -> str:
    """What the writer said: not the lines that quote others, and no code."""
    plain = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return "\n".join(line for line in plain.split("\n") if not line.lstrip().startswith(">"))
