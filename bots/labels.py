"""The words around an answer on a terminal, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.contribution.quadrants import Quadrant

FIELDS: Mapping[Quadrant, str] = {
    "carrying": "carrying (主力)",
    "hidden": "hidden (隠れた実力)",
    "in_vain": "shown in vain (空振り)",
    "idle": "idle (休眠)",
}
"""The fields of the quadrant chart, in both languages."""


@dataclass(frozen=True, slots=True)
class Labels:
    sources: str
    page: str
    line: str
    lines: str
    contributions: str
    article: str
    exposed: str
    carried: str
    statements: str
    yes: str
    no: str
    not_measured: str
    confidence: str
    more: str
    quote: str


ENGLISH = Labels(
    sources="Sources",
    page="page {page}",
    line="line {first}",
    lines="lines {first}–{last}",
    contributions="What carried this answer",
    article="article",
    exposed="exposed",
    carried="carried",
    statements="statements",
    yes="yes",
    no="no",
    not_measured="–",
    confidence="confidence {confidence} · {model} · {milliseconds} ms",
    more="… and {count} more that carried nothing",
    quote="“{quote}”",
)

JAPANESE = Labels(
    sources="出典",
    page="{page}ページ",
    line="{first}行目",
    lines="{first}〜{last}行目",
    contributions="この回答を支えた記事",
    article="記事",
    exposed="提示",
    carried="寄与",
    statements="文の数",
    yes="○",
    no="×",
    not_measured="–",
    confidence="確信度 {confidence} · {model} · {milliseconds} ms",
    more="… ほか {count} 件は寄与なし",
    quote="「{quote}」",
)


def labels_for(language: str) -> Labels:
    return JAPANESE if language == "ja" else ENGLISH
