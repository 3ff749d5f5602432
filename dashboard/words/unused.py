"""Words of the page of unused articles."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "unused": ("Unused", "未使用"),
    "unused_title": ("Articles that carried no answer", "回答を支えなかった記事"),
    "unused_lead": (
        "Articles of today that carried nothing in the period, the most shown first.",
        "現在ある記事のうち、この期間に回答を支えなかったものを、提示が多い順に並べています。",
    ),
    "all_used": (
        "Every article carried an answer in this period, or there are no articles yet. "
        "`kiyo ingest` reads a folder.",
        "この期間はすべての記事が回答を支えたか、記事がまだありません。"
        "`kiyo ingest` でフォルダーを読み込めます。",
    ),
    "never_retrieved": ("Never found", "検索されていない"),
    "never_exposed": ("Found, not shown", "検索されたが未提示"),
    "exposed_idle": ("Shown, not used", "提示されたが未使用"),
    "never_retrieved_advice": (
        "Nobody asks about it, or it uses other words than they do.",
        "質問がないか、質問と違う言葉で書かれています。",
    ),
    "never_exposed_advice": (
        "Other articles fit better. Merge it with them, or say sooner what it is about.",
        "ほかの記事のほうが合っています。統合するか、何の記事かを冒頭に書いてください。",
    ),
    "exposed_idle_advice": (
        "It looks right but does not answer. Add the answer, or narrow its title.",
        "関連して見えますが答えが書かれていません。答えを加えるか、題名を絞ってください。",
    ),
    "reason": ("Reason", "理由"),
    "retrieved": ("Found for", "検索された回答数"),
    "article_id": ("Id", "記事ID"),
}
