"""Words of the page of answers."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "find": ("Search questions and answers", "質問と回答を検索"),
    "filters": ("Filters", "絞り込み"),
    "languages": ("Answer language", "回答の言語"),
    "channels": ("Channels", "経路"),
    "gates": ("Decisions", "判断"),
    "carried_range": ("Share of sentences the articles carry (%)", "記事が支えた文の割合（%）"),
    "newer": ("Newer", "新しい回答へ"),
    "older": ("Older", "古い回答へ"),
    "searched_to": ("Searched back to {since} UTC.", "{since} UTC までの回答を検索しました。"),
    "search_on": ("Search further back", "さらに前を検索"),
    "page_number": ("Page {page}", "{page}ページ目"),
    "none_match": (
        "No answer matches. Widen the period or take a filter away.",
        "条件に合う回答がありません。期間を広げるか、絞り込みを外してください。",
    ),
    "nothing_yet": (
        "No answer has been recorded yet. Ask something with `kiyo ask`.",
        "回答はまだありません。`kiyo ask` で質問してみてください。",
    ),
    "no_such_answer": (
        "There is no answer {id} any more. Choose one from the list.",
        "回答 {id} は見つかりません。一覧から選んでください。",
    ),
    "evaluating": ("being evaluated", "評価中"),
    "evaluating_note": (
        "This answer left before it was evaluated. The page shows the evaluation as soon as it is there.",
        "この回答は評価の前に送られました。評価が終わると、この画面は自動で更新されます。",
    ),
    "trace": ("How this answer came about", "この回答ができるまで"),
    "trace_lead": (
        "Everything the search found, in its order, and what became of it.",
        "検索で見つかったものを順位どおりに並べ、その後の扱いを示しています。",
    ),
    "trace_empty": ("The search found nothing that you may read.", "閲覧できる検索結果はありません。"),
    "rank": ("Rank", "順位"),
    "lines": ("Lines", "行"),
    "relevance": ("Relevance", "関連度"),
    "detectors": ("Scores by detector", "検出器ごとのスコア"),
    "tokens": ("Tokens", "トークン"),
    "outcome": ("What became of it", "扱い"),
    "source_number": ("shown as [{number}]", "[{number}] として提示"),
    "in_prompt": ("shown", "提示"),
    "cut": ("cut", "除外"),
    "cut_because": ("cut: {reason}", "除外：{reason}"),
    "below the threshold": ("below the threshold", "しきい値未満"),
    "over the number of results": ("over the number of results", "件数の上限を超過"),
    "over the token budget": ("over the token budget", "トークンの上限を超過"),
    "input_tokens": ("Tokens read", "入力トークン"),
    "output_tokens": ("Tokens written", "出力トークン"),
    "calls": ("Model calls", "モデルの呼び出し"),
    "cost": ("Cost", "費用"),
    "unknown_cost": ("unknown", "不明"),
    "timings": ("Time by step: {steps}", "段階ごとの時間：{steps}"),
    "audit": ("Audit record of the search", "検索の監査記録"),
    "export": ("Save these answers as a file", "この一覧をファイルに保存"),
    "export_lead": (
        "All answers that the filters let pass, with their figures. The question is left out where it may "
        "not be read.",
        "絞り込みに合うすべての回答と、その数値です。閲覧できない質問は含まれません。",
    ),
    "export_prepare": ("Prepare the file", "ファイルを準備"),
    "export_save": ("Save {count} answers (CSV)", "{count} 件を保存（CSV）"),
    "export_gone": (
        "The file is no longer there: files are kept for a day, in the storage folder of the process that "
        "wrote them.",
        "ファイルが見つかりません。ファイルは、書き出したプロセスの保存フォルダーに一日だけ残ります。",
    ),
    "export_size": ("A ZIP file of {megabytes} MB.", "ZIP ファイル（{megabytes} MB）"),
}
