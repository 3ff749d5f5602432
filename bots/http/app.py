"""All routes in one Starlette application."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bots.http.asking import Asking
from bots.http.conversing import HttpChannel
from bots.http.keys import find_key
from bots.http.openapi import describe
from bots.supervisor import Supervisor
from core.errors import KiyoError
from core.ports import Channel
from core.sections.http import HttpSettings


@runtime_checkable
class WebChannel(Protocol):
    """A channel that also receives over HTTP."""

    def routes(self) -> list[Route]: ...


def make_app(
    settings: HttpSettings,
    supervisor: Supervisor,
    conversations: HttpChannel,
    channels: Mapping[str, Channel],
) -> Starlette:
    """`/v1`, the webhooks of the channels, `/healthz`, `/readyz`, `/metrics`."""
    asking = Asking(supervisor.desk, supervisor.ask, settings)
    state = _State(settings, supervisor)
    messages = "/v1/conversations/{conversation}/messages"
    hooks = [
        route
        for channel in channels.values()
        if isinstance(channel, WebChannel)
        for route in channel.routes()
    ]
    app = Starlette(
        routes=[
            Route("/v1/ask", asking.answer, methods=["POST"]),
            Route(messages, conversations.post_message, methods=["POST"]),
            Route(messages, conversations.get_messages, methods=["GET"]),
            Route("/openapi.json", lambda _request: JSONResponse(describe())),
            Route("/healthz", lambda _request: JSONResponse({"status": "ok"})),
            Route("/readyz", state.ready),
            Route("/metrics", state.metrics),
            *hooks,
        ]
    )
    app.add_middleware(BodyLimit, limit=settings.max_webhook_kb * 1024)
    return app


class BodyLimit:
    """413 for a body that is longer than any route takes, before it is read into memory."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > self._limit:
            await JSONResponse({"error": "The body is too long."}, 413)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            return message if read <= self._limit else {"type": "http.disconnect"}

        await self._app(scope, counted, send)


class _State:
    """What monitoring asks for."""

    def __init__(self, settings: HttpSettings, supervisor: Supervisor) -> None:
        self._settings = settings
        self._supervisor = supervisor

    async def ready(self, _request: Request) -> Response:
        """200 when the database answers and every channel of this process is up."""
        desk, worker = self._supervisor.desk, self._supervisor.worker
        try:
            health = await asyncio.to_thread(desk.health.list_health)
        except KiyoError:
            return JSONResponse({"status": "the database does not answer"}, 503)
        states = {one.channel: one.state for one in health if one.worker == worker}
        down = sorted(name for name in self._supervisor.channels if states.get(name) != "up")
        return JSONResponse({"status": "ok" if not down else "down", "down": down}, 503 if down else 200)

    async def metrics(self, request: Request) -> Response:
        """Figures for Prometheus."""
        desk = self._supervisor.desk
        if self._settings.metrics_need_key:
            key = await asyncio.to_thread(find_key, desk.keys, request, "staff")
            if key is None:
                return JSONResponse({"error": "Send a key with the scope `staff`."}, 401)
        registry = CollectorRegistry()
        waiting = Gauge("kiyo_waiting", "Messages and replies that wait", ["queue"], registry=registry)
        waiting.labels("inbox").set(await asyncio.to_thread(desk.inbox.waiting))
        waiting.labels("outbox").set(await asyncio.to_thread(desk.outbox.waiting))
        up = Gauge("kiyo_channel_up", "Whether a channel is up", ["channel", "worker"], registry=registry)
        for one in await asyncio.to_thread(desk.health.list_health):
            up.labels(one.channel, one.worker).set(one.state == "up")
        lag = Gauge("kiyo_loop_lag_seconds", "How late the event loop is", ["share"], registry=registry)
        for share in (0.5, 0.99):
            lag.labels(str(share)).set(self._supervisor.lag.percentile(share))
        alarms = Gauge("kiyo_loop_lag_alarms", "Times that the loop was blocked too long", registry=registry)
        alarms.set(self._supervisor.lag.alarms)
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
