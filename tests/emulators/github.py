"""A GitHub on loopback, after https://docs.github.com: REST, GraphQL, reactions, limits, signed webhooks."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

TOKEN = "ghp_test"
SECRET = "hook"
REPOSITORY = "kazemizu/tokiame"
BOT = "kiyo-helper"
STAMP = "2026-11-30T12:00:00Z"


@dataclass(slots=True)
class GithubEmulator:
    """faults: of the next new comment: rate_limit, lost_answer, refuse, server_error."""

    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    discussions: dict[int, dict[str, Any]] = field(default_factory=dict)
    reactions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    outages: int = 0
    address: str = ""
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(100))
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> GithubEmulator:
        app = web.Application()
        base = f"/repos/{REPOSITORY}"
        app.router.add_get("/user", self._user)
        app.router.add_get(base, self._repository)
        app.router.add_get(f"{base}/issues", self._list_issues)
        app.router.add_get(f"{base}/issues/comments", self._list_comments)
        app.router.add_get(f"{base}/issues/comments/{{comment}}/reactions", self._list_reactions)
        app.router.add_get(f"{base}/issues/{{number:\\d+}}/comments", self._list_comments)
        app.router.add_post(f"{base}/issues/{{number:\\d+}}/comments", self._add_comment)
        app.router.add_post("/graphql", self._graphql)
        app.middlewares.append(self._authorise)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def new_number(self) -> int:
        return next(self._numbers)

    def add_issue(
        self, body: str, *, author: str = "aki", title: str = "A question", **more: Any
    ) -> dict[str, Any]:
        number = self.new_number()
        self.issues[number] = {"number": number, "title": title, **content(body, author), **more}
        return self.issues[number]

    def add_comment(self, number: int, body: str, author: str = "aki", **more: Any) -> dict[str, Any]:
        made = self.new_number()
        issue_url = f"{self.address}/repos/{REPOSITORY}/issues/{number}"
        comment = {
            "id": made,
            "node_id": f"IC_{made}",
            "issue_url": issue_url,
            **content(body, author),
            **more,
        }
        self.comments.append(comment)
        return comment

    def add_discussion(self, body: str, author: str = "aki") -> dict[str, Any]:
        number = self.new_number()
        node = {"id": f"D_{number}", "number": number, "title": "A talk", "comments": {"nodes": []}}
        self.discussions[number] = {**node, **graph_content(body, author)}
        return self.discussions[number]

    def add_discussion_comment(
        self, number: int, body: str, author: str = "aki", root: str = ""
    ) -> dict[str, Any]:
        made = {"id": f"DC_{self.new_number()}", "replies": {"nodes": []}, **graph_content(body, author)}
        comments = self.discussions[number]["comments"]["nodes"]
        if root:
            parent = next(comment for comment in comments if comment["id"] == root)
            parent["replies"]["nodes"].append(made)
        else:
            comments.append(made)
        return made

    @web.middleware
    async def _authorise(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.calls.append(f"{request.method} {request.path}")
        if request.headers.get("Authorization", "").split(" ")[-1] != TOKEN:
            return web.json_response({"message": "Bad credentials"}, status=401)
        if self.outages and request.method == "GET" and request.path.endswith(("/issues", "/reactions")):
            self.outages -= 1
            return web.json_response({"message": "Server Error"}, status=502)
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _user(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"login": BOT, "type": "User"})

    async def _repository(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"full_name": REPOSITORY, "has_issues": True})

    async def _list_issues(self, request: web.Request) -> web.StreamResponse:
        return _page(request, [i for i in self.issues.values() if i["updated_at"] >= request.query["since"]])

    async def _list_comments(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info.get("number")
        found = [c for c in self.comments if number is None or c["issue_url"].endswith(f"/{number}")]
        since = request.query.get("since", "")
        return _page(request, [comment for comment in found if comment["updated_at"] >= since])

    async def _list_reactions(self, request: web.Request) -> web.StreamResponse:
        return _page(request, self.reactions.get(request.match_info["comment"], []))

    async def _add_comment(self, request: web.Request) -> web.StreamResponse:
        return await self._write(
            request, lambda body: self.add_comment(int(request.match_info["number"]), body, BOT)
        )

    async def _write(self, request: web.Request, make: Any) -> web.StreamResponse:
        fault = self.faults.popleft() if self.faults else ""
        if fault == "rate_limit":
            limited = {"message": "You have exceeded a secondary rate limit."}
            return web.json_response(limited, status=403, headers={"Retry-After": "4"})
        if fault == "refuse":
            return web.json_response({"message": "Issue is locked"}, status=403)
        body = str((await request.json())["body"])
        if len(body) > 65_536:
            return web.json_response({"message": "Validation Failed"}, status=422)
        made = make(body)
        if fault == "lost_answer":
            assert request.transport is not None
            request.transport.close()
        if fault == "server_error":
            return web.json_response({"message": "Server Error"}, status=502)
        return web.json_response(made, status=201)

    async def _graphql(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        query, given = asked["query"], asked["variables"]
        if "addDiscussionComment" in query:
            number = int(given["discussion"].removeprefix("D_"))
            made = self.add_discussion_comment(number, given["body"], BOT, given.get("root") or "")
            return web.json_response({"data": {"addDiscussionComment": {"comment": {"id": made["id"]}}}})
        if "number" in given:
            found: Any = {"discussion": self.discussions.get(int(given["number"]))}
        else:
            found = {"discussions": {"nodes": list(self.discussions.values())[::-1]}}
        return web.json_response({"data": {"repository": found}})


def content(body: str, author: str) -> dict[str, Any]:
    """What issues and comments have in common."""
    kind = "Bot" if author.endswith("[bot]") else "User"
    return {
        "body": body,
        "user": {"login": author, "type": kind},
        "author_association": "NONE",
        "created_at": STAMP,
        "updated_at": STAMP,
    }


def graph_content(body: str, author: str) -> dict[str, Any]:
    return {
        "body": body,
        "author": {"login": author, "__typename": "User"},
        "authorAssociation": "NONE",
        "createdAt": STAMP,
        "updatedAt": STAMP,
    }


def sign(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def delivery(event: str, action: str, **content: Any) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a webhook."""
    body = json.dumps({"action": action, "repository": {"full_name": REPOSITORY}, **content}).encode()
    headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": "d-1", "X-Hub-Signature-256": sign(body)}
    return body, headers


def _page(request: web.Request, items: list[dict[str, Any]]) -> web.Response:
    size, number = int(request.query.get("per_page", 30)), int(request.query.get("page", 1))
    return web.json_response(items[(number - 1) * size : number * size])
