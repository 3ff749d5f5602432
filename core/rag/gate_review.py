"""What a model that looks over an answer is told, and what of its opinion is believed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import get_args

from core.domain import GateVerdict
from core.ports import GateReviewRequest
from core.prompts.loading import load_prompt
from core.rag.prompting import HISTORY_TURNS, clean, render_context

REASON_CHARS = 300

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def build_review_messages(request: GateReviewRequest, model: str) -> list[dict[str, str]]:
    """System and user message that ask for one opinion on an answer beside its sources."""
    prompt = load_prompt("review", model)
    earlier = "\n".join(f"{turn.role}: {turn.text}" for turn in request.history[-HISTORY_TURNS:])
    user = prompt.user.substitute(
        history=clean(earlier),
        context=render_context(request.sources),
        question=clean(request.question),
        answer=clean(request.answer),
    )
    return [{"role": "system", "content": prompt.system.substitute()}, {"role": "user", "content": user}]


def read_review(text: str) -> tuple[GateVerdict, str] | None:
    """Verdict and reason of the JSON object in a model's answer; None if there is none that can be used."""
    found = _OBJECT.search(text)
    try:
        content = json.loads(found.group()) if found else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, Mapping) or content.get("verdict") not in get_args(GateVerdict):
        return None
    reason = content.get("reason")
    return content["verdict"], " ".join(reason.split())[:REASON_CHARS] if isinstance(reason, str) else ""
