"""Words of the overview."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "overview": ("Overview", "概要"),
    "overview_title": ("How the answers are doing", "回答の状況"),
    "handed_share": ("Handed to people", "担当者へ引き継いだ割合"),
    "cost_usd": ("Cost", "費用"),
    "nothing_known": ("unknown", "不明"),
    "before": ("before: {value}", "前の期間：{value}"),
}
