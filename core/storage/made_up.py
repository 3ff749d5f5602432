"""One made-up answer: what was asked, shown and carried, as values. Nobody ever said any of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from core.contribution.features import FEATURES
from core.domain import (
    Answer,
    ArticleId,
    Contribution,
    Evaluation,
    Exposure,
    Statement,
    Support,
    Usage,
    Verdict,
)

CHANNEL = "made-up"
VERSION = "1"
EVALUATOR = "made-up-1"
CUT = 3
"""Places that were found and cut from the prompt."""
LINES = 20
"""Of an article, from which its supports are drawn."""
_VERDICTS: tuple[tuple[Verdict, float], ...] = (("supported", 0.62), ("uncited", 0.14), ("unsupported", 0.16))
_SUBJECTS = {
    "en": (
        "the valve",
        "the pump",
        "the sensor",
        "the travel budget",
        "annual leave",
        "the invoice",
        "the gateway",
    ),
    "ja": ("電磁弁", "ポンプ", "土壌センサー", "出張旅費", "年次有給休暇", "請求書", "ゲートウェイ"),
}


def name_article(number: int) -> tuple[ArticleId, str, Literal["ja", "en"]]:
    """Id, title and language of an article."""
    language: Literal["ja", "en"] = "ja" if number % 2 else "en"
    subject = _SUBJECTS[language][number % 7]
    title = f"{subject}の手引き {number}" if language == "ja" else f"Guide to {subject}, part {number}"
    return f"{CHANNEL}/{number}.md", title, language


def draw_answer(chance: random.Random, number: int, articles: int, exposures: int, at: datetime) -> Answer:
    """An answer of three to eight statements; a few articles are shown again and again, most hardly ever."""
    language: Literal["ja", "en"] = "ja" if chance.random() < 0.5 else "en"
    shown = _draw_articles(chance, articles, exposures + CUT)
    found = chance.random() < 0.93
    statements = _draw_statements(chance, language, found)
    verdicts, supports = _draw_supports(chance, statements, shown[:exposures], articles)
    text = " ".join(statement.text for statement in statements)
    subject = chance.choice(_SUBJECTS[language])
    return Answer(
        id=f"{CHANNEL}-0-{number}",
        question=f"{subject}について教えてください。"
        if language == "ja"
        else f"What do I need to know about {subject}?",
        text=text,
        language=language,
        found=found,
        citations=(),
        removed_citations=0,
        exposures=tuple(_expose(chance, rank, one, exposures) for rank, one in enumerate(shown, start=1)),
        evaluation=Evaluation(
            statements, verdicts, supports, _sum(statements, supports, shown[:exposures]), EVALUATOR
        ),
        confidence=round(chance.random(), 4),
        gate="send" if found else "hand_over",
        model=chance.choice(("model-a", "model-b")),
        usage=Usage(chance.randint(800, 4000), chance.randint(60, 400), round(chance.random() / 100, 6), 1),
        timings_ms={"retrieve": 31.5, "answer": 820.25, "evaluate": 24.75},
        asked_by=f"person-{chance.randint(1, 300)}",
        channel=CHANNEL,
        created_at=at,
    )


def _draw_articles(chance: random.Random, articles: int, count: int) -> list[ArticleId]:
    """Different ones; the share of the r-th falls about as 1 / r."""
    drawn: dict[int, None] = {}
    while len(drawn) < min(count, articles):
        drawn.setdefault(int((articles + 1) ** chance.random()) - 1)
    return [name_article(number)[0] for number in drawn]


def _draw_statements(
    chance: random.Random, language: Literal["ja", "en"], found: bool
) -> tuple[Statement, ...]:
    statements: list[Statement] = []
    start = 0
    for ordinal in range(chance.randint(3, 8)):
        said = _say(chance, language)
        judged = found and chance.random() < 0.9
        end = start + len(said)
        statements.append(
            Statement(
                ordinal, said, start, end, (1,), judged, "" if judged else "hedge" if found else "refusal"
            )
        )
        start = end + 1
    return tuple(statements)


def _say(chance: random.Random, language: Literal["ja", "en"]) -> str:
    subject, number, unit = chance.choice(_SUBJECTS[language]), chance.randint(2, 90), chance.randint(1, 12)
    if language == "ja":
        return f"{subject}は、{number}分たつと自動で止まり、{unit}回まで続けて使えるように設定されています。"
    return (
        f"After {number} minutes {subject} is closed by itself, unless it was extended {unit} times in a row."
    )


def _draw_supports(
    chance: random.Random, statements: Sequence[Statement], shown: Sequence[ArticleId], articles: int
) -> tuple[tuple[Verdict, ...], tuple[Support, ...]]:
    """Two pairs a judged statement: the one that decides, and one that comes close."""
    verdicts: list[Verdict] = []
    supports: list[Support] = []
    for statement in statements:
        if not statement.judged:
            verdicts.append("not_judged")
            continue
        verdict = _draw_verdict(chance)
        verdicts.append(verdict)
        best = shown[int(len(shown) * chance.random() ** 2)]
        missed = verdict == "uncited" and chance.random() < 0.2
        if missed:
            best = next((one for one in _draw_articles(chance, articles, 30) if one not in shown), best)
        supports.append(_support(chance, statement.ordinal, best, verdict, best in shown))
        other = chance.choice(shown)
        if other != best:
            supports.append(_support(chance, statement.ordinal, other, "unsupported", True))
    return tuple(verdicts), tuple(supports)


def _draw_verdict(chance: random.Random) -> Verdict:
    drawn = chance.random()
    for verdict, share in _VERDICTS:
        drawn -= share
        if drawn < 0:
            return verdict
    return "unverified"


def _support(
    chance: random.Random, statement: int, article: ArticleId, verdict: Verdict, exposed: bool
) -> Support:
    line = chance.randrange(LINES)
    sure = verdict in ("supported", "uncited")
    said = random.Random(f"{article} {line}")  # noqa: S311 - no secret, the same every time
    return Support(
        statement=statement,
        article_id=article,
        version=VERSION,
        line=line,
        line_text=_say(said, "ja" if line % 2 else "en"),
        label=verdict in ("supported", "unverified"),
        probability=round(0.6 + 0.4 * chance.random() if sure else 0.5 * chance.random(), 6),
        verdict=verdict,
        features=_draw_features(chance, sure),
        exposed=exposed,
    )


def _draw_features(chance: random.Random, sure: bool) -> dict[str, float]:
    """What speaks for support is high where the check was sure; hardly anything speaks against it."""
    least, most = (0.6, 1.0) if sure else (0.0, 0.5)
    features = dict.fromkeys(FEATURES, 0.0)
    features |= {name: round(chance.uniform(least, most), 4) for name in FEATURES[:5]}
    if chance.random() < 0.1:
        features[chance.choice(FEATURES[5:])] = round(chance.random(), 4)
    return features


def _expose(chance: random.Random, rank: int, article: ArticleId, exposures: int) -> Exposure:
    first = chance.randrange(LINES)
    inside = rank <= exposures
    relevance = round(max(0.05, 0.95 - 0.07 * rank + 0.1 * chance.random()), 4)
    return Exposure(
        article_id=article,
        version=VERSION,
        chunk_id=chance.randint(1, 100_000),
        first_line=first,
        last_line=first + 5,
        rank=rank,
        scores={"keyword": round(20 * chance.random(), 4), "vector": round(chance.random(), 4), "line": 0.5},
        relevance=relevance,
        tokens=chance.randint(80, 512),
        in_prompt=inside,
        source_number=rank if inside else None,
        cut_because="" if inside else "budget",
    )


def _sum(
    statements: Sequence[Statement], supports: Sequence[Support], shown: Sequence[ArticleId]
) -> tuple[Contribution, ...]:
    judged = sum(statement.judged for statement in statements)
    carried: dict[ArticleId, list[Support]] = {article: [] for article in shown}
    for support in supports:
        if support.verdict in ("supported", "uncited"):
            carried.setdefault(support.article_id, []).append(support)
    return tuple(
        Contribution(
            article_id=article,
            version=VERSION,
            share=len(these) / judged if judged else None,
            sole_share=len(these) / judged if judged else None,
            statements=len(these),
            strongest=max((one.probability or 0.0 for one in these), default=None),
            exposed=article in shown,
        )
        for article, these in carried.items()
    )
