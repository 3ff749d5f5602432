"""Words of the overview."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "overview": ("Overview", "概要"),
    "overview_title": ("How the answers are doing", "回答の状況"),
    "filters": ("Filters", "絞り込み"),
    "channels": ("Channels", "経路"),
    "languages": ("Answer language", "回答の言語"),
    "kinds": ("Kinds of article (chart)", "記事の種類（図）"),
    "kind_document": ("documents", "文書"),
    "kind_core": ("core knowledge", "基本知識"),
    "kind_memory": ("memories", "記憶"),
    "kind_conversation": ("conversations", "会話"),
    "answers_help": (
        "Answers of the period, from every channel that is chosen.",
        "選んだ経路での、この期間の回答の数です。",
    ),
    "carried_share_help": (
        "Of the sentences that can be checked, the share that an article supports.",
        "検査できる文のうち、記事が裏づけている割合です。",
    ),
    "handed_share": ("Handed to people", "担当者へ引き継いだ割合"),
    "handed_share_help": (
        "Answers that the gate gave to a person instead of sending.",
        "送信せず、担当者へ引き継いだ回答の割合です。",
    ),
    "helpful_share": ("Found helpful", "役に立った割合"),
    "helpful_share_help": (
        "Of the opinions that people gave on answers of the period.",
        "この期間の回答に寄せられた評価のうち、「役に立った」の割合です。",
    ),
    "median_time": ("Median time", "時間の中央値"),
    "median_time_help": (
        "From the question to the recorded answer, on a sample of the period.",
        "質問から回答の記録までの時間です（期間からの抽出）。",
    ),
    "cost_usd": ("Cost", "費用"),
    "cost_usd_help": ("Of the answers whose price is known.", "料金が分かっている回答の合計です。"),
    "nothing_known": ("unknown", "不明"),
    "before": ("before: {value}", "前の期間：{value}"),
    "points": ("{value} points", "{value} ポイント"),
    "none_in_filter": (
        "No answer of the period passes the filters. Take one away or widen the period.",
        "この条件に合う回答がありません。絞り込みを外すか、期間を広げてください。",
    ),
    "no_article_of_kind": (
        "No article of these kinds was found in the period. Choose other kinds.",
        "この期間に使われた、この種類の記事はありません。別の種類を選んでください。",
    ),
    "chart_of_all": (
        "The chart counts the answers of all channels and languages.",
        "図は、すべての経路と言語の回答を数えています。",
    ),
    "to_quadrants": ("All articles with reasons and advice", "すべての記事と、その理由・対策を見る"),
    "no_alarms": ("● No alarms.", "● 警報はありません。"),
    "mend": ("Look at it", "確認する"),
    "alarm_channel": (
        "Channel {channel} is down since {since} UTC ({error}). Check it with `kiyo doctor`.",
        "経路 {channel} は {since} UTC から停止しています（{error}）。`kiyo doctor` で確認してください。",
    ),
    "alarm_work": (
        "{count} jobs have waited since {since} UTC: no process works on them. Start `kiyo serve`.",
        "{since} UTC から {count} 件の処理が待機中です。実行するプロセスがありません。`kiyo serve` "
        "を起動してください。",
    ),
    "alarm_vectors": (
        "The index is behind: some passages have no vector and are not found by meaning. Run `kiyo reindex`.",
        "索引が遅れています。ベクトルのない箇所があり、意味検索で見つかりません。`kiyo reindex` "
        "を実行してください。",
    ),
    "alarm_drift_alarm": (
        "The check no longer agrees with people as it did.",
        "検査と人の判定が、以前ほど一致しなくなっています。",
    ),
    "alarm_drift_watch": (
        "The check begins to move away from its calibration.",
        "検査が、較正した時点からずれ始めています。",
    ),
    "alarm_bias": (
        "The length of answers explains part of the contribution (correlation {value}, limit ±{limit}).",
        "回答の長さが寄与の一部を説明しています（相関 {value}、目安 ±{limit}）。",
    ),
    "alarm_old": (
        "The calibration {version} is {days} days old. Label new draws and make another one.",
        "較正 {version} は {days} 日前のものです。新しい抽出分を判定し、作り直してください。",
    ),
}
