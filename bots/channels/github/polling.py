"""What is new in a repository, from its lists: for servers that GitHub cannot reach."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bots.channels.github.calls import GithubCalls
from bots.channels.github.webhooks import Reader, read_time
from core.messages import ActionKind, IncomingAction, IncomingMessage, Place

OVERLAP = timedelta(minutes=5)
"""Lists lag behind; what comes twice counts once."""
WATCHED_COMMENTS = 30
_REACTIONS: dict[str, ActionKind] = {"+1": "helpful", "heart": "helpful", "-1": "not_helpful"}
_DISCUSSIONS = """query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
discussions(first: 20, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes {
number title body createdAt updatedAt authorAssociation author { login __typename }
comments(last: 20) { nodes { id body createdAt updatedAt authorAssociation author { login __typename }
replies(last: 20) { nodes { id body createdAt updatedAt authorAssociation author { login __typename } } } } }
} } } }"""


@dataclass(slots=True)
class Poller:
    """One repository. since: from where lists are read. reactions: those seen, by our comment."""

    calls: GithubCalls
    reader: Reader
    since: datetime
    reactions: dict[str, dict[str, tuple[str, ActionKind]]] = field(default_factory=dict)

    async def poll(self, now: datetime) -> AsyncIterator[IncomingMessage | IncomingAction]:
        """New and changed issues, comments and discussions, oldest first."""
        since, repository = self.since - OVERLAP, self.reader.repository
        parameters = {"since": since.strftime("%Y-%m-%dT%H:%M:%SZ"), "sort": "updated", "direction": "asc"}
        issues = await self.calls.get_all(f"/repos/{repository}/issues", {**parameters, "state": "all"})
        for issue in issues:
            if read_time(issue["created_at"]) >= since:
                for message in _both(issue, self.reader.read_issue):
                    yield message
        for comment in await self.calls.get_all(f"/repos/{repository}/issues/comments", parameters):
            if read_time(comment["created_at"]) < since:
                continue
            issue = {"number": int(str(comment["issue_url"]).rpartition("/")[2])}
            for event in _both(
                comment, lambda one, change, i=issue: self.reader.read_comment(one, i, change, "")
            ):
                yield event
        async for event in self._poll_discussions(since):
            yield event
        self.since = now

    async def _poll_discussions(self, since: datetime) -> AsyncIterator[IncomingMessage | IncomingAction]:
        owner, _, name = self.reader.repository.partition("/")
        found = await self.calls.graphql(_DISCUSSIONS, {"owner": owner, "name": name})
        nodes = ((found.get("repository") or {}).get("discussions") or {}).get("nodes") or []
        for discussion in reversed(nodes):
            if read_time(discussion["createdAt"]) >= since:
                for message in _both(_rest(discussion), self.reader.read_discussion):
                    yield message
            for comment in discussion["comments"]["nodes"]:
                for one in (comment, *comment["replies"]["nodes"]):
                    if read_time(one["createdAt"]) < since:
                        continue
                    item = {**_rest(one), "root_node_id": comment["id"]}
                    event = self.reader.read_discussion_comment(item, discussion, "new", "")
                    if event is not None:
                        yield event

    async def poll_reactions(self, comments: Mapping[str, Place]) -> AsyncIterator[IncomingAction]:
        """Opinions about our latest comments; one that is gone takes its opinion back."""
        for comment_id, place in list(comments.items())[-WATCHED_COMMENTS:]:
            path = f"/repos/{self.reader.repository}/issues/comments/{comment_id}/reactions"
            listed = await self.calls.get_all(path)
            now = {
                str(one["user"]["login"]): (str(one["id"]), _REACTIONS[one["content"]])
                for one in listed
                if one["content"] in _REACTIONS
            }
            before = self.reactions.get(comment_id, {})
            for login in {**before, **now}:
                if before.get(login) == now.get(login):
                    continue
                number, kind = now.get(login) or (f"{before[login][0]}-gone", "withdraw")
                author = self.reader.author({"login": login}, {})
                if author.is_bot or author.is_self:
                    continue
                yield IncomingAction(place, f"reaction:{number}", author, kind, "", message_id=comment_id)
            self.reactions[comment_id] = now


def _both(item: Mapping[str, Any], read: Any) -> list[Any]:
    """A message that was edited since is told twice: as new, which counts if nobody saw it, and as edited."""
    events = [read(item, "new")]
    if str(item.get("updated_at")) > str(item.get("created_at")) and isinstance(events[0], IncomingMessage):
        events.append(read(item, "edited"))
    return [event for event in events if event is not None]


def _rest(node: Mapping[str, Any]) -> dict[str, Any]:
    """A node of GraphQL with the names of the REST interface."""
    author = node.get("author") or {}
    kind = "Bot" if author.get("__typename") == "Bot" else "User"
    return {
        "number": node.get("number"),
        "node_id": node.get("id"),
        "title": node.get("title"),
        "body": node.get("body"),
        "user": {"login": author.get("login"), "type": kind},
        "author_association": node.get("authorAssociation"),
        "created_at": node.get("createdAt"),
        "updated_at": node.get("updatedAt"),
    }
