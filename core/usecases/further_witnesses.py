"""Ask a judge and a verifier about pairs of a statement and an article, where they are configured.

What they say becomes labels and probabilities; a failure of theirs never fails the evaluation.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from typing import TypeVar

from core.contribution.witnesses import Pair
from core.domain import ArticleId, Evaluation, LineRef
from core.errors import ProviderError
from core.memory import Memory
from core.ports import Claim, Services

Said = TypeVar("Said")

PASSAGE_CHARS = 1200
"""Longest passage around the best line that is shown to a witness."""

_log = logging.getLogger(__name__)


async def verify_pairs(
    services: Services, evaluation: Evaluation, lines: Sequence[LineRef], known: Collection[Pair] = ()
) -> dict[Pair, float]:
    """Probability of each pair that has a line, those in `known` left out; silent where the verifier is."""
    if services.verifier is None:
        return {}
    asked = _claims(evaluation, lines, known)
    if not asked:
        return {}
    verifier = services.verifier
    try:
        said = await _ask_once(asked.values(), services.opinions, verifier.id, verifier.verify)
    except ProviderError as error:
        _log.warning("the verifier said nothing, the check stands alone: %s", error)
        return {}
    return {pair: said[claim] for pair, claim in asked.items() if claim in said}


async def judge_pairs(
    services: Services, evaluation: Evaluation, lines: Sequence[LineRef]
) -> dict[Pair, bool | None]:
    """Label of each pair that has a line; None for all of them when the judge failed."""
    asked = _claims(evaluation, lines, ())
    if services.judge is None or not asked:
        return {}
    try:
        judge = services.judge
        said = await _ask_once(asked.values(), services.labels, judge.id, judge.judge)
    except ProviderError as error:
        _log.warning("the judge failed, the answer is not judged: %s", error)
        return dict.fromkeys(asked, None)
    return {pair: said.get(claim) for pair, claim in asked.items()}


async def _ask_once(
    claims: Iterable[Claim],
    memory: Memory[tuple[str, Claim], Said],
    witness: str,
    ask: Callable[[Sequence[Claim]], Awaitable[Sequence[Said | None]]],
) -> dict[Claim, Said]:
    """What a witness says of each claim, from memory where it was asked before; without what it left open."""
    wanted = list(dict.fromkeys(claims))
    said = {claim: one for claim in wanted if (one := memory.find((witness, claim))) is not None}
    new = [claim for claim in wanted if claim not in said]
    for claim, one in zip(new, await ask(new) if new else (), strict=True):
        if one is not None:
            memory.keep((witness, claim), one)
            said[claim] = one
    return said


def _claims(evaluation: Evaluation, lines: Sequence[LineRef], known: Collection[Pair]) -> dict[Pair, Claim]:
    texts = {statement.ordinal: statement.text for statement in evaluation.statements}
    by_article: dict[ArticleId, list[LineRef]] = {}
    for ref in lines:
        by_article.setdefault(ref.article_id, []).append(ref)
    return {
        (support.statement, support.article_id): Claim(
            texts[support.statement], passage_around(by_article[support.article_id], support.line)
        )
        for support in evaluation.supports
        if support.line is not None and (support.statement, support.article_id) not in known
    }


def passage_around(lines: Sequence[LineRef], ordinal: int) -> str:
    """The heading, then as many given lines around one as fit PASSAGE_CHARS, in their order."""
    ordered = sorted(lines, key=lambda ref: ref.line.ordinal)
    place = next(index for index, ref in enumerate(ordered) if ref.line.ordinal == ordinal)
    first = last = place
    room = PASSAGE_CHARS - len(ordered[place].line.text)
    while room > 0 and (first > 0 or last < len(ordered) - 1):
        before = first - 1 if first > 0 else None
        after = last + 1 if last < len(ordered) - 1 else None
        nearer_after = before is None or (after is not None and after - place <= place - before)
        chosen = after if nearer_after else before
        assert chosen is not None
        room -= len(ordered[chosen].line.text)
        if room < 0:
            break
        first, last = min(first, chosen), max(last, chosen)
    texts = [ref.line.text for ref in ordered[first : last + 1]]
    heading = ordered[place].heading
    return "\n".join([heading, *texts] if heading else texts)[: PASSAGE_CHARS + len(heading) + 1]
