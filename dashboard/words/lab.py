"""Words of the retrieval lab."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "lab": ("Retrieval lab", "検索ラボ"),
    "lab_title": ("What the search finds, and why", "検索で何が見つかり、なぜそうなるか"),
    "lab_lead": (
        "One question through each detector, then in their common order, and what is cut. Nothing is "
        "recorded as an answer.",
        "一つの質問を各検出器にかけ、統合後の順位と、除外されたものを確認します。"
        "回答としては記録されません。",
    ),
    "lab_question": ("Question", "質問"),
    "lab_ask": ("Search", "検索する"),
    "lab_settings": ("Settings to try", "試す設定"),
    "lab_mode": ("Mode", "方式"),
    "lab_fusion": ("Order", "統合方法"),
    "lab_strategy": ("Selection", "選び方"),
    "lab_results": ("Most sources", "提示する件数の上限"),
    "lab_threshold": ("Least relevance", "関連度の下限"),
    "as_configured": ("as configured", "設定どおり"),
    "lab_waiting": (
        "The process that holds the indexes is at work. Waiting since {seconds} s.",
        "索引を持つプロセスが処理しています（{seconds} 秒経過）。",
    ),
    "lab_nobody": (
        "Nothing works on it yet. The process that holds the indexes must run: start `kiyo serve` in "
        "another terminal; this page goes on by itself.",
        "まだ処理が始まっていません。索引を持つプロセスが必要です。別の端末で `kiyo serve` を起動すると、"
        "この画面は自動で続きを表示します。",
    ),
    "lab_stop": ("Stop waiting", "待つのをやめる"),
    "lab_failed": ("It failed: {error}", "失敗しました：{error}"),
    "lab_first": (
        "Ask a question to see what each detector finds.",
        "質問を入力すると、各検出器の結果が表示されます。",
    ),
    "lab_read": ("Read as ({language}): {terms}", "検索語（{language}）：{terms}"),
    "lab_time": ("{milliseconds} ms, mode {mode}", "{milliseconds} ms、方式 {mode}"),
    "detector_keyword": ("By words", "語句"),
    "detector_vector": ("By meaning", "意味"),
    "detector_anchors": ("Places in documents", "文書内の箇所"),
    "nothing_hit": ("Nothing.", "該当なし"),
    "fused_title": ("In their common order", "統合後の順位"),
    "rank": ("Rank", "順位"),
    "section": ("Section", "節"),
    "relevance": ("Relevance", "関連度"),
    "score": ("Score", "スコア"),
    "outcome": ("What became of it", "扱い"),
    "lab_source": ("shown as [{number}]", "[{number}] として提示"),
    "lab_cut": ("cut: {reason}", "除外：{reason}"),
    "below the threshold": ("below the threshold", "しきい値未満"),
    "over the number of results": ("over the number of results", "件数の上限を超過"),
    "over the token budget": ("over the token budget", "トークンの上限を超過"),
    "lab_next": ("next best", "次点"),
    "found_by": ("Found by", "見つけた検出器"),
    "features": ("Features of the relevance", "関連度の内訳"),
    "lab_trace": ("How the places were found", "箇所の見つけ方"),
    "sets_title": ("Saved question sets", "保存した質問セット"),
    "sets_lead": (
        "Questions whose articles are known. A run tells how often an article that answers is among the "
        "first (Recall@k), and how high it comes (MRR).",
        "正解の記事が分かっている質問の集まりです。正解が上位 k 件に入る割合（Recall@k）と、その順位（"
        "MRR）を測ります。",
    ),
    "no_sets": (
        "There is no set yet. Write one below: a question a line, a tab, then the ids of the articles that "
        "answer it.",
        "まだセットがありません。下に一行一問で、質問、タブ、正解の記事IDの順に書いてください。",
    ),
    "set": ("Set", "セット"),
    "set_name": ("Name of the set", "セットの名前"),
    "set_questions": ("Questions", "質問"),
    "set_help": (
        "One question a line, a tab, then ids of articles separated by commas.",
        "一行に一問、タブに続けて記事IDをカンマ区切りで書きます。",
    ),
    "set_edit": ("Write or change a set", "セットを作る・直す"),
    "set_save": ("Save the set", "セットを保存"),
    "set_saved": (
        "The set {of_set} is saved: {count} questions.",
        "セット {of_set} を保存しました（{count} 問）。",
    ),
    "set_remove": ("Remove {of_set} with its runs", "{of_set} と実行結果を削除"),
    "set_removed": ("The set {of_set} is gone.", "セット {of_set} を削除しました。"),
    "set_named": ("A set needs a name.", "セットの名前を入力してください。"),
    "set_run": ("Run {count} questions with the settings above", "上の設定で {count} 問を実行"),
    "run_waiting": (
        "A run is at work; its figures come by themselves. Where nothing works on it, start `kiyo serve`.",
        "実行中です。終わると自動で表示されます。始まらないときは `kiyo serve` を起動してください。",
    ),
    "no_runs": ("This set was not run yet.", "このセットはまだ実行されていません。"),
    "run_at": ("Run (UTC)", "実行 (UTC)"),
    "run_settings": ("Settings", "設定"),
    "run_by": ("By", "実行者"),
    "recall_at_1": ("Recall@1", "Recall@1"),
    "recall_at_5": ("Recall@5", "Recall@5"),
    "recall_at_10": ("Recall@10", "Recall@10"),
    "mrr": ("MRR", "MRR"),
    "median_ms": ("Median ms", "中央値 (ms)"),
    "runs_told": (
        "Latest run: MRR {mrr}, Recall@5 {recall}, n = {n}. Best so far: MRR {best}.",
        "最新：MRR {mrr}、Recall@5 {recall}（n = {n}）。これまでの最高：MRR {best}。",
    ),
    "over_time": ("Over time", "推移"),
}
