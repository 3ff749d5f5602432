"""The reasons of advice in words: why, and what to do, in Japanese and English."""

from collections.abc import Mapping
from typing import Literal

from core.contribution.advice import ArticleFigures, Reason

# Each pair: why the article stands where it stands, and the one thing to do.
_ENGLISH: Mapping[Reason, tuple[str, str]] = {
    "too_few": (
        "Only {answers} answers tell of this article, too few to judge it.",
        "Wait for more answers, or choose a longer period.",
    ),
    "stale": (
        "{stale} answers were carried by lines that have been edited since.",
        "Ask a few of those questions again and see whether the new text carries the answers.",
    ),
    "working": (
        "It is shown often and carries {rate} of an answer on average.",
        "Leave it as it is; review it when the facts change.",
    ),
    "only_source": (
        "It carries {rate} of an answer on average, and most of that stands nowhere else.",
        "Give it an owner and a review date: without it these answers would be lost.",
    ),
    "duplicate": (
        "It carries answers, but never alone: other articles say the same.",
        "Merge it with its double, so that only one text has to be kept up to date.",
    ),
    "retrieval_miss": (
        "{missed} answers say what it says although it was not shown.",
        "Write the words of those questions into its title or first sentence, then ask one of them again.",
    ),
    "seldom_asked": (
        "It is seldom shown, but when it is, it carries {rate} of the answer.",
        "Nothing is wrong; see whether the people who need it know that they can ask.",
    ),
    "prior_knowledge": (
        "It is shown, but {unsupported} of what those answers state stands in no article.",
        "Read one of these answers: either tell the model to keep to the sources, or add what is missing.",
    ),
    "weak_retrieval": (
        "It is shown in {exposure} answers with a mean relevance of only {relevance}.",
        "Raise the relevance threshold, or split the article so that each section has one topic.",
    ),
    "outdone": (
        "Where it is shown, other articles carry {others} of the answer.",
        "Compare it with the articles beside it: merge what overlaps, and retitle the rest.",
    ),
    "unclear_use": (
        "It is shown in {exposure} answers and carries {rate} of them.",
        "Open one of these answers and see which of its lines were shown; shorter sections may fit better.",
    ),
    "never_found": (
        "No question found it in this period.",
        "Ask the question it is meant to answer; if it does not come up, put the question into its title.",
    ),
    "cut": (
        "It was found for {retrieved} answers but stood in the prompt of only {exposure}.",
        "Allow more results or a larger context, or use smaller chunks, so that it is not cut.",
    ),
    "mismatch": (
        "It is seldom shown and carries nothing: its words and the questions do not meet.",
        "Check how it was cut into chunks, and whether anyone asks about it; otherwise retire it.",
    ),
}

_JAPANESE: Mapping[Reason, tuple[str, str]] = {
    "too_few": (
        "この記事に関わる回答が{answers}件しかなく、判断できません。",
        "回答が増えるのを待つか、期間を長くしてください。",
    ),
    "stale": (
        "回答{stale}件を支えていた行が、その後の編集で変わりました。",
        "該当する質問をいくつか試し、新しい本文が回答を支えているか確かめてください。",
    ),
    "working": (
        "よく提示され、平均して回答の{rate}を支えています。",
        "このままで問題ありません。内容が変わったときに見直してください。",
    ),
    "only_source": (
        "平均して回答の{rate}を支え、その大半はほかの記事にない内容です。",
        "担当者と見直し日を決めてください。この記事がなくなると、これらの回答は失われます。",
    ),
    "duplicate": (
        "回答を支えていますが、同じ内容がほかの記事にもあります。",
        "重複する記事と統合し、更新する文章を一つにしてください。",
    ),
    "retrieval_miss": (
        "提示されていないのに、回答{missed}件がこの記事と同じ内容を述べています。",
        "それらの質問の言葉を題名か最初の文に入れてから、もう一度質問してみてください。",
    ),
    "seldom_asked": (
        "提示は少ないものの、提示されれば回答の{rate}を支えています。",
        "記事に問題はありません。必要とする人が質問できることを知っているか確かめてください。",
    ),
    "prior_knowledge": (
        "提示されていますが、それらの回答の{unsupported}はどの記事にもない内容です。",
        "回答を一つ開いて確かめ、モデルに出典だけを使うよう指示するか、足りない内容を記事に加えてください。",
    ),
    "weak_retrieval": (
        "{exposure}件の回答で提示されましたが、関連度の平均は{relevance}にとどまります。",
        "関連度のしきい値を上げるか、節ごとに話題が一つになるよう記事を分けてください。",
    ),
    "outdone": (
        "提示された回答では、ほかの記事が{others}を支えています。",
        "一緒に提示される記事と見比べ、重なる部分を統合し、残りは題名を付け直してください。",
    ),
    "unclear_use": (
        "{exposure}件の回答で提示され、支えたのは{rate}です。",
        "回答を一つ開き、どの行が提示されたか確かめてください。節を短くすると合いやすくなります。",
    ),
    "never_found": (
        "この期間、どの質問でも見つかりませんでした。",
        "この記事が答えるはずの質問を試し、出てこなければ、その質問を題名に入れてください。",
    ),
    "cut": (
        "{retrieved}件の回答で見つかりましたが、プロンプトに入ったのは{exposure}件だけです。",
        "件数の上限かコンテキストを広げるか、チャンクを小さくして、入るようにしてください。",
    ),
    "mismatch": (
        "提示も寄与もほとんどなく、質問の言葉と記事の言葉がかみ合っていません。",
        "チャンクの分け方と、この話題の質問があるかを確かめ、なければ記事を取り下げてください。",
    ),
}

WORDS = {"en": _ENGLISH, "ja": _JAPANESE}
"""language -> reason -> (why, what to do), with places for figures."""


def explain_advice(reason: Reason, figures: ArticleFigures, language: Literal["ja", "en"]) -> tuple[str, str]:
    """Say in one sentence each why an article stands where it stands and what to do about it."""
    why, what = WORDS[language][reason]
    return why.format(**_filled(figures)), what


def _filled(figures: ArticleFigures) -> dict[str, str]:
    def percent(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    return {
        "retrieved": str(figures.retrieved),
        "exposure": str(figures.exposure),
        "answers": str(figures.answers),
        "missed": str(figures.missed),
        "stale": str(figures.stale),
        "rate": percent(figures.rate),
        "relevance": percent(figures.relevance),
        "unsupported": percent(figures.unsupported),
        "others": percent(figures.others),
    }
