"""`/v1/ask`: one question in, one answer out; scores only for keys of staff."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from bots.http.keys import find_key
from core.channel_ports import ApiKey, Desk
from core.domain import PUBLIC, Answer, Principal
from core.errors import AskerError, KiyoError
from core.messages import Place
from core.ports import Turn
from core.sections.http import HttpSettings
from core.usecases.answer_json import answer_to_json
from core.usecases.conversation.gating import decide_leaving
from core.usecases.conversation.wording import say
from core.usecases.conversation.working import Ask
from core.usecases.reply import AskRequest

CHANNEL = "http"
MOST_TURNS = 12
QUESTION_CHARS = 8_000
FOR_CUSTOMERS = ("id", "answer", "language", "found", "citations")


@dataclass(frozen=True, slots=True)
class Asking:
    """The routes of `/v1`."""

    desk: Desk
    ask: Ask
    settings: HttpSettings

    async def answer(self, request: Request) -> Response:
        """POST /v1/ask {question, history?: [{role, text}]}."""
        key = await asyncio.to_thread(find_key, self.desk.keys, request, "ask")
        if key is None:
            return refuse(401, "Send a key: Authorization: Bearer kiyo_…")
        body = await read_json(request, self.settings.max_body_kb * 1024)
        if isinstance(body, Response):
            return body
        asked = _read_question(body, key)
        if isinstance(asked, Response):
            return asked
        if "text/event-stream" in request.headers.get("accept", ""):
            return StreamingResponse(self._stream(asked, key), media_type="text/event-stream")
        return await self._reply(asked, key)

    async def _reply(self, asked: AskRequest, key: ApiKey) -> Response:
        try:
            async with asyncio.timeout(self.settings.answer_timeout_seconds):
                answer = await self.ask(asked)
        except TimeoutError:
            return refuse(504, "The answer takes too long; ask again later.")
        except AskerError as error:
            return refuse(400, str(error))
        except KiyoError:
            return refuse(503, "Kiyo cannot answer at the moment; its operator finds the reason in the log.")
        return JSONResponse(self._show(answer, key))

    async def _stream(self, asked: AskRequest, key: ApiKey) -> AsyncIterator[str]:
        """`progress` at once; then `answer` or `error`. Text is sent only once the gate has decided."""
        yield event("progress", {"state": "working"})
        reply = await self._reply(asked, key)
        body = json.loads(bytes(reply.body))
        yield event("answer" if reply.status_code == 200 else "error", body)

    def _show(self, answer: Answer, key: ApiKey) -> dict[str, Any]:
        """Everything for staff; for others the answer, if it passed the gate, and its sources."""
        whole: dict[str, Any] = dict(answer_to_json(answer))
        if "staff" in key.scopes:
            return whole
        leaving = decide_leaving(self.desk.settings, answer.gate, Place(CHANNEL, key.name, "", shared=False))
        shown = {name: whole[name] for name in FOR_CUSTOMERS}
        if leaving == "hand_over":
            return {**shown, "answer": say("will_look", answer.language), "found": False, "citations": []}
        return {**shown, "caution": leaving == "caution"}


async def read_json(request: Request, limit: int) -> Mapping[str, Any] | Response:
    """The body as an object, or why not: 413 for one that is too long, 400 for one that is none."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > limit:
            return refuse(413, f"The body is longer than {limit} bytes.")
    try:
        body = json.loads(content)
    except ValueError:
        return refuse(400, "The body is no JSON.")
    return body if isinstance(body, dict) else refuse(400, "The body must be a JSON object.")


def _read_question(body: Mapping[str, Any], key: ApiKey) -> AskRequest | Response:
    question, history = body.get("question"), body.get("history", [])
    if not isinstance(question, str) or not question.strip():
        return refuse(400, "`question` must be a text.")
    if len(question) > QUESTION_CHARS:
        return refuse(400, f"`question` is longer than {QUESTION_CHARS} characters.")
    if not isinstance(history, list) or not all(_is_turn(turn) for turn in history):
        return refuse(400, '`history` must be a list of {"role": "user" or "assistant", "text": …}.')
    return AskRequest(
        question=question,
        principal=Principal(f"http:{key.name}", frozenset({PUBLIC, *key.groups})),
        channel=CHANNEL,
        history=tuple(Turn(turn["role"], turn["text"]) for turn in history[-MOST_TURNS:]),
    )


def _is_turn(turn: object) -> bool:
    return (
        isinstance(turn, dict)
        and turn.get("role") in ("user", "assistant")
        and isinstance(turn.get("text"), str)
    )


def refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)


def event(name: str, body: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(body, ensure_ascii=False)}\n\n"
