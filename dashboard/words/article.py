"""Words of the page of one article."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "article": ("One article", "記事の詳細"),
    "article_title": ("What this article carries", "この記事が支えた回答"),
    "choose_article": ("Article", "対象の記事"),
    "article_hint": (
        "Choose an article above, or open one from the table of articles.",
        "上で記事を選ぶか、記事の一覧表から開いてください。",
    ),
    "no_articles_yet": (
        "No article was found for an answer in this period. Choose a longer period, read a folder with "
        "`kiyo ingest`, or ask something with `kiyo ask`.",
        "この期間に検索された記事はありません。期間を長くするか、`kiyo ingest` で"
        "フォルダーを読み込むか、`kiyo ask` で質問してください。",
    ),
    "article_unknown": (
        "There is no such article, or you may not read it. Choose another one above.",
        "この記事は存在しないか、閲覧権限がありません。上で別の記事を選んでください。",
    ),
    "article_removed": (
        "This article was removed from its source. What it carried is kept; its text is not.",
        "この記事は取り込み元から削除されました。支えた実績は残りますが、本文は残りません。",
    ),
    "changed_at": ("changed {day}", "更新 {day}"),
    "sole": ("Sole share", "単独の寄与"),
    "sole_help": (
        "The part of the contribution that no other article carries as well.",
        "寄与のうち、ほかの記事が支えていない分です。",
    ),
    "lines_title": ("Its text, line by line", "本文を一行ずつ"),
    "lines_lead": (
        "The number says how many statements of answers a line carried; the deeper the blue and the wider "
        "the bar, the more. {warm} of {total} lines carried something.",
        "数字は、その行が支えた文の数です。青が濃く、線が太いほど、多く支えています。"
        "全 {total} 行のうち {warm} 行が回答を支えました。",
    ),
    "no_heat": (
        "No line carried a statement in this period.",
        "この期間に文を支えた行はありません。",
    ),
    "heat_latest": (
        "The lines are counted on the latest {count} answers that it carried.",
        "行ごとの数は、支えた回答のうち最新の {count} 件で数えています。",
    ),
    "part": ("Part {part} of {parts}", "{parts} 部中 {part} 部"),
    "choose_part": ("Part of the text", "表示する部分"),
    "page_number": ("page {page}", "{page}ページ"),
    "line_hint": ("line {line}: carried {count} statements", "{line}行目：{count} 文を支えました"),
    "lost_title": ("Carried once, gone since", "以前は支えていたが、今はない行"),
    "lost_lead": (
        "These lines carried answers and were changed or taken out since. Those answers count as stale: ask "
        "one of their questions again and see whether the new text carries it.",
        "これらの行は回答を支えていましたが、その後変更または削除されました。該当する回答は失効として数えます。"
        "同じ質問をもう一度して、新しい本文が支えるか確かめてください。",
    ),
    "gone_hint": (
        "gone since {day}; carried {count} statements",
        "{day}になくなった行。{count} 文を支えました",
    ),
    "series_title": ("Over time", "推移"),
    "series_told": (
        "From {first} to {last}: shown for {exposure} answers, contribution {contribution}, of it alone "
        "{sole}. It carried most on {top}.",
        "{first} から {last} まで：提示 {exposure} 回答、寄与 {contribution}、うち単独 {sole}。"
        "最も多く支えたのは {top} です。",
    ),
    "series_table": ("The same as a table", "表で見る"),
    "no_series": ("Nothing happened in this period.", "この期間の記録はありません。"),
    "since": ("From", "開始日"),
    "figure": ("Figure", "指標"),
    "questions_title": ("Questions that led here", "この記事に行き着いた質問"),
    "no_questions": (
        "It carried no answer in this period.",
        "この期間に支えた回答はありません。",
    ),
    "question_protected": ("(rests on articles you may not read)", "（閲覧権限のない記事にもとづく回答）"),
    "question_gone": ("(the text is gone)", "（本文は保存期間が過ぎました）"),
    "share_column": ("Carried", "支えた割合"),
    "note_column": ("Note", "備考"),
    "note_stale": ("stale", "失効"),
    "note_missed": ("had not been shown", "未提示"),
    "asked_at": ("Asked", "質問日"),
    "open": ("Open", "開く"),
    "versions_title": ("Versions", "版"),
    "version": ("Version", "版の識別子"),
    "seen_at": ("First seen", "最初の記録"),
    "current": ("Current", "現在の版"),
}
