"""Words of signing in, and of one's own account."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "sign_in": ("Sign in", "サインイン"),
    "sign_in_lead": (
        "What carries the answers of your support bot",
        "サポートボットの回答を支えている記事がわかります",
    ),
    "login": ("Login", "ログイン名"),
    "password": ("Password", "パスワード"),
    "sign_in_with": ("Sign in with {provider}", "{provider} でサインイン"),
    "sign_in_wrong": (
        "Login and password do not fit. After several wrong passwords an account stays locked for {minutes} "
        "minutes. If you forgot yours, ask a maintainer for another one.",
        "ログイン名かパスワードが違います。続けて間違えると {minutes} 分間ロックされます。"
        "忘れた場合は、メンテナーに再発行を依頼してください。",
    ),
    "sign_in_no_role": (
        "You are known to the provider, but nobody has given you a role here. Ask a maintainer.",
        "本人確認はできましたが、ここでの役割がまだありません。メンテナーに依頼してください。",
    ),
    "nobody_yet": (
        "Nobody has an account yet. On the server, make one with this command:",
        "アカウントがまだありません。サーバーで次のコマンドを実行してください。",
    ),
    "signed_out": (
        "You are signed out, or somebody ended your session.",
        "サインアウトされたか、セッションが終了しました。",
    ),
    "sign_in_again": ("Sign in again", "もう一度サインイン"),
    "sign_out": ("Sign out", "サインアウト"),
    "role_viewer": ("look", "閲覧"),
    "role_reviewer": ("decide on drafts", "下書きの確認"),
    "role_labeller": ("label", "ラベル付け"),
    "role_maintainer": ("everything", "すべて"),
    "your_roles": ("You may: {roles}", "できること：{roles}"),
    "your_groups": ("Reads what is for: {groups}", "閲覧できる範囲：{groups}"),
    "change_password": ("Change password", "パスワードを変更"),
    "old_password": ("Your password", "現在のパスワード"),
    "new_password": ("A new one, ten characters or more", "新しいパスワード（10文字以上）"),
    "new_password_again": ("The new one again", "新しいパスワード（確認）"),
    "passwords_differ": ("The two new passwords differ.", "新しいパスワードが一致しません。"),
}
