"""Words of the page of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "knowledge": ("Knowledge", "ナレッジ"),
    "knowledge_title": ("What the answers are made from", "回答のもとになる資料"),
    "knowledge_lead": (
        "Folders that Kiyo reads, what the last reading brought, and files that you bring in here.",
        "Kiyo が読み込むフォルダーと前回の読み込み結果を確認し、ファイルを追加できます。",
    ),
    "sources": ("Sources", "資料の場所"),
    "source": ("Source", "名前"),
    "place": ("Folder or file", "フォルダー・ファイル"),
    "kind": ("Kind", "種類"),
    "readers": ("Readers", "閲覧できるグループ"),
    "held_articles": ("Articles", "記事数"),
    "held_chunks": ("Chunks", "チャンク数"),
    "changed": ("Latest change", "最終更新"),
    "no_sources": (
        "Nothing has been read yet. Bring in files below, or run `kiyo ingest FOLDER`.",
        "まだ何も読み込まれていません。ファイルを追加するか、`kiyo ingest フォルダー` を実行してください。",
    ),
    "read_again": ("Read this source again", "この場所を読み直す"),
    "choose_source": ("Source", "場所"),
    "last_reading": ("Last reading", "前回の読み込み"),
    "no_reading": (
        "No reading has been recorded yet.",
        "読み込みの記録はまだありません。",
    ),
    "reading_by": ("{when} · asked for by {person}", "{when} · {person} の操作"),
    "added": ("Added", "追加"),
    "changed_files": ("Changed", "変更"),
    "unchanged": ("Unchanged", "変更なし"),
    "removed": ("Removed", "削除"),
    "skipped": ("Skipped", "対象外"),
    "moved": ("Moved", "移動"),
    "conflict": ("Conflict", "競合"),
    "file": ("File", "ファイル"),
    "outcome": ("Outcome", "結果"),
    "reason": ("Reason", "理由"),
    "files_left_out": (
        "{count} files that did not change are left out.",
        "変更のない {count} 件は省いています。",
    ),
    "upload": ("Bring in files", "ファイルを追加"),
    "upload_lead": (
        "Markdown, text, PDF, HTML and source files. A file of a known name replaces it. The files stay in "
        "Kiyo's own folder, up to {size} MB each.",
        "Markdown、テキスト、PDF、HTML、ソースコードに対応しています。同じ名前のファイルは置き換えられます。"
        "ファイルは Kiyo のフォルダーに保存されます（1 件 {size} MB まで）。",
    ),
    "upload_files": ("Files", "ファイル"),
    "upload_readers": (
        "Who may read them (groups, separated by commas)",
        "閲覧できるグループ（カンマ区切り）",
    ),
    "upload_readers_help": (
        "`public` is everybody. Others never see these articles, nor answers made from them.",
        "`public` は全員です。それ以外の人には、記事もそれに基づく回答も表示されません。",
    ),
    "upload_button": ("Bring in", "追加する"),
    "index": ("Search index", "検索の索引"),
    "index_state": (
        "{articles} articles in {chunks} chunks and {lines} lines that you may read; revision {revision}.",
        "閲覧できる記事 {articles} 件（{chunks} チャンク、{lines} 行）、リビジョン {revision}。",
    ),
    "index_lead": (
        "The index follows by itself. Make it again after it was lost, or after another embedding model was "
        "configured.",
        "索引は自動で更新されます。索引を失ったときや、埋め込みモデルの設定を変えたときに作り直してください。",
    ),
    "reindex": ("Make the index again", "索引を作り直す"),
    "reindexed": (
        "Made again at {when}: {chunks} chunks, {embedded} of them embedded anew.",
        "{when} に作り直しました（{chunks} チャンク、うち {embedded} 件を新たに埋め込み）。",
    ),
    "maintainers_only": (
        "A maintainer can bring in files, read a source again and make the index again.",
        "ファイルの追加、読み直し、索引の作り直しはメンテナーが行えます。",
    ),
}
