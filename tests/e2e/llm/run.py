"""Asks a real model one question with sources, through the same answerer that Kiyo uses.

    python -m tests.e2e.llm.run PYTHON

PYTHON is the interpreter of the environment with the model's server (see README.md). Exits 0 when a text and
its tokens came back, whole and streamed; what a model of this size writes is printed, not judged.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.domain import Draft, Line
from core.ports import AnswerRequest, Source
from core.prompts.loading import load_prompt
from core.providers.litellm_answerer import LitellmAnswerer
from core.providers.litellm_client import LitellmClient, ModelService
from core.rag.prompting import build_answer_messages

MODEL = "openai/smollm2-135m-instruct"
TEXTS = (
    ("Expenses", "Expense claims are filed in the expense system within 30 days of payment."),
    ("Paid leave", "Ten days of paid leave are granted six months after joining."),
)
QUESTION = "Within how many days must an expense claim be filed?"


@contextmanager
def serve_model(python: str) -> Iterator[str]:
    """Start the server, yield its base URL, and end it however the block ends."""
    script = str(Path(__file__).with_name("serve.py"))
    process = subprocess.Popen([python, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        if not address.startswith("http://127.0.0.1:"):
            raise SystemExit(f"the model's server did not start: {address or 'see its messages above'}")
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def make_request() -> AnswerRequest:
    sources = tuple(
        Source(
            number, title, title, text, 0.9, (Line(0, 0, "sentence", text, 0, len(text), None, 1, 1),), title
        )
        for number, (title, text) in enumerate(TEXTS, start=1)
    )
    return AnswerRequest(QUESTION, "en", sources)


async def ask(url: str, on_text: Callable[[str], None] | None) -> Draft:
    client = LitellmClient(ModelService(MODEL, url, timeout_seconds=120, max_output_tokens=80))
    marker = load_prompt("answer", MODEL).words["not_found_marker"]
    answerer = LitellmAnswerer(client, lambda request: build_answer_messages(request, MODEL), marker)
    return await answerer.answer(make_request(), on_text)


def require(draft: Draft, what: str) -> None:
    """Raise SystemExit unless the draft has what a real server must have sent."""
    sys.stdout.write(f"\n{what}: found={draft.found} {draft.usage}\n{draft.text}\n")
    if draft.found and not draft.text:
        raise SystemExit(f"{what}: no text came back")
    if draft.usage.input_tokens < 20 or draft.usage.output_tokens < 1:
        raise SystemExit(f"{what}: no tokens were counted")
    if draft.usage.cost_usd is not None:
        raise SystemExit(f"{what}: a model without a price has one")


def main() -> None:
    pieces: list[str] = []
    with serve_model(sys.argv[1]) as url:
        sys.stdout.write(f"{MODEL} at {url}\n{QUESTION}\n")
        require(asyncio.run(ask(url, None)), "whole")
        streamed = asyncio.run(ask(url, pieces.append))
        require(streamed, "streamed")
    if "".join(pieces).strip() != streamed.text:
        raise SystemExit("streamed: the pieces are not the text")
    sys.stdout.write(f"\n{len(pieces)} pieces came before the end\nok\n")


if __name__ == "__main__":
    main()
