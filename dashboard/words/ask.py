"""Words of the page to ask on."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "ask": ("Ask", "質問する"),
    "ask_title": ("Ask the bot, and see what carries the answer", "ボットに質問し、回答の根拠を確かめる"),
    "ask_lead": (
        "Answers given here are recorded and counted like those of any other channel.",
        "ここでの回答も、ほかの経路と同じように記録され、集計されます。",
    ),
    "ask_as": ("Ask as", "質問者"),
    "ask_as_help": (
        "The answer uses what this person may read. Asking as somebody else is kept in the audit log.",
        "この人が読める記事だけで回答します。ほかの人として質問したことは監査ログに残ります。",
    ),
    "ask_myself": ("myself ({groups})", "自分（{groups}）"),
    "ask_everybody": ("somebody who may read only what is public", "公開記事だけを読める人"),
    "ask_person": ("{person} ({groups})", "{person}（{groups}）"),
    "ask_now_as": ("The answers below are what {person} gets.", "以下は {person} への回答です。"),
    "ask_placeholder": ("Your question", "質問を入力"),
    "ask_first": (
        "Ask something that your articles should answer, for example a question that a customer asked today.",
        "記事で答えられるはずのことを質問してみてください。たとえば、今日お客さまから届いた質問など。",
    ),
    "ask_new": ("New conversation", "新しい会話"),
    "ask_gone": (
        "This answer is no longer kept here.",
        "この回答はここには残っていません。",
    ),
    "ask_sources": ("Sources, and the share each one carried", "出典と、それぞれが支えた割合"),
    "ask_no_sources": ("No article carries this answer.", "この回答を支える記事はありません。"),
    "ask_carried": ("carried {share}", "{share} を支えた"),
    "ask_nothing": ("shown, carried nothing", "提示されたが、支えていない"),
    "ask_not_shown": ("carried {share} without being shown", "提示されずに {share} を支えた"),
    "ask_more": (
        "{count} more were shown and carried nothing.",
        "ほかに {count} 件が提示され、支えていません。",
    ),
    "ask_whole": ("See this answer sentence by sentence", "この回答を文ごとに見る"),
    "ask_took": ("{seconds} s · {model}", "{seconds} 秒 · {model}"),
}
