"""Pairs of a statement and a passage become messages for a judge or a verifier; the wording is data.

Both texts are escaped, so that neither can close its frame or pose as us.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.ports import Claim
from core.prompts.loading import load_prompt
from core.rag.prompting import clean

ClaimTask = Literal["judge", "verify"]


def build_claim_messages(task: ClaimTask, claims: Sequence[Claim], model: str) -> list[dict[str, str]]:
    """Messages that ask for one value a pair, in a JSON list."""
    prompt = load_prompt(task, model)
    pairs = "\n".join(
        f'<pair n="{n}">\n<statement>{clean(claim.statement)}</statement>\n'
        f"<passage>{clean(claim.passage)}</passage>\n</pair>"
        for n, claim in enumerate(claims, start=1)
    )
    user = prompt.user.substitute(pairs=pairs, count=len(claims))
    return [{"role": "system", "content": prompt.system.substitute()}, {"role": "user", "content": user}]


def claim_prompt_id(task: ClaimTask, model: str) -> str:
    """task/family@version of the wording, which belongs to the evaluator version."""
    return load_prompt(task, model).id
