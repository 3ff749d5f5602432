"""Words of the page of drafts."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "reviews": ("Review queue", "確認待ち"),
    "reviews_title": ("Drafts that wait for a person", "担当者の確認を待つ下書き"),
    "no_reviews": (
        "No draft is waiting. Drafts come here when a question on a channel is handed to a person.",
        "確認待ちの下書きはありません。各チャネルの質問が担当者へ引き継がれると、ここに表示されます。",
    ),
    "choose_review": ("Drafts, oldest first", "下書き（古い順）"),
    "draft": ("Draft", "下書き"),
    "waits_since": ("since {since} UTC, until {until} UTC", "{since} UTC から（期限 {until} UTC）"),
    "approve": ("Approve and send", "承認して送信"),
    "keep_edit": ("Keep the changed text", "変更を保存"),
    "dismiss": ("Dismiss", "却下"),
    "take_over": ("Take over", "自分で対応する"),
    "hand_back": ("Hand back", "Kiyo に戻す"),
    "state": ("State", "状態"),
    "waiting": ("waiting", "確認待ち"),
    "edited": ("changed, waiting", "変更済み・確認待ち"),
    "taken": ("answered by {who}", "{who} が対応中"),
    "approved": ("approved, about to be sent", "承認済み・送信待ち"),
    "sending": ("being sent", "送信中"),
    "failed": ("the platform refused it: {error}", "送信できませんでした：{error}"),
    "done": ("Done.", "完了しました。"),
    "not_allowed": ("You may not decide on drafts.", "下書きを確認する権限がありません。"),
    "too_late": (
        "Somebody else was faster or changed the draft. Look at it again.",
        "ほかの人が先に操作したか、下書きが変更されています。もう一度確認してください。",
    ),
    "gone": ("The draft is gone.", "下書きはもうありません。"),
    "not_empty": ("An empty text cannot be sent.", "空の文は送信できません。"),
}
