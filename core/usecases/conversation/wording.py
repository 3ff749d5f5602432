"""The sentences that Kiyo says by itself, in the language of whom it says them to."""

from __future__ import annotations

from typing import Literal

from core.domain import Language

Sentence = Literal[
    "will_look",
    "failed",
    "too_many",
    "crowded",
    "caution",
    "helpful",
    "not_helpful",
    "wrong_source",
    "human",
    "draft",
    "question",
    "asked_by",
    "approve",
    "edit",
    "dismiss",
    "take_over",
    "hand_back",
    "thanks",
    "withdrawn",
    "not_allowed",
    "too_late",
    "done",
    "gone",
    "not_empty",
    "taken",
    "handed_back",
    "coming",
]

_WORDS: dict[Sentence, tuple[str, str]] = {
    "will_look": (
        "I could not answer this with certainty, so a person will look at it.",
        "確かな答えが見つからなかったため、担当者が確認します。少々お待ちください。",
    ),
    "failed": (
        "Something went wrong while answering; a person has been told.",
        "回答の途中で問題が起きました。担当者に知らせました。",
    ),
    "too_many": (
        "That was a lot of questions at once. Please ask again in a minute.",
        "短い時間に多くの質問をいただきました。1分ほど待ってから、もう一度お試しください。",
    ),
    "crowded": (
        "There are very many questions at the moment. Please ask again later.",
        "ただいま質問が混み合っています。しばらくしてから、もう一度お試しください。",
    ),
    "caution": (
        "Please check this answer against its sources.",
        "念のため、出典もあわせてご確認ください。",
    ),
    "helpful": ("Helpful", "役に立った"),
    "not_helpful": ("Not helpful", "役に立たなかった"),
    "wrong_source": ("Wrong source", "出典が違う"),
    "human": ("Ask a person", "担当者に聞く"),
    "draft": ("Draft", "下書き"),
    "question": ("Question", "質問"),
    "asked_by": ("Asked by", "質問者"),
    "approve": ("Approve", "承認して送信"),
    "edit": ("Edit", "編集"),
    "dismiss": ("Dismiss", "却下"),
    "take_over": ("Take over", "引き取る"),
    "hand_back": ("Hand back", "Kiyoに戻す"),
    "thanks": ("Thank you, this is noted.", "ありがとうございます。記録しました。"),
    "withdrawn": ("Your feedback is taken back.", "フィードバックを取り消しました。"),
    "not_allowed": ("You may not decide on this draft.", "この下書きを操作する権限がありません。"),
    "too_late": (
        "Somebody was faster: this draft is {state}{by}.",
        "すでに対応済みです（状態: {state}{by}）。",
    ),
    "done": ("Done: this draft is {state}.", "完了しました（状態: {state}）。"),
    "gone": ("This does not exist any more.", "対象が見つかりません。"),
    "not_empty": ("Please write what is to be sent.", "送信する本文を入力してください。"),
    "taken": (
        "You have this conversation now; Kiyo is silent in it.",
        "この会話を引き取りました。Kiyoは応答しません。",
    ),
    "handed_back": ("Kiyo answers in this conversation again.", "この会話をKiyoに戻しました。"),
    "coming": ("A person will look at this.", "担当者が確認します。"),
}


def say(sentence: Sentence, language: Language, **values: str) -> str:
    """The sentence in Japanese or, for every other language, in English."""
    english, japanese = _WORDS[sentence]
    return (japanese if language == "ja" else english).format(**values)
