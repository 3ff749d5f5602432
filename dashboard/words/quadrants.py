"""Words of the page of the four fields."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "find_article": ("Find an article by its title", "題名で記事を探す"),
    "no_article_matches": (
        "No title matches. Empty the fields to see all articles.",
        "条件に合う記事がありません。欄を空にすると、すべて表示されます。",
    ),
    "as_csv": ("Download as CSV", "CSVで保存"),
    "as_parquet": ("Download as Parquet", "Parquetで保存"),
    "scale": ("Scale of the exposure", "提示の目盛り"),
    "scale_auto": ("Automatic", "自動"),
    "scale_linear": ("Linear", "線形"),
    "scale_log": ("Logarithmic", "対数"),
    "set_exposure": ("Shown often from … answers", "「よく提示」の下限（回答数）"),
    "set_rate": ("Carries much from … %", "「よく支えた」の下限（%）"),
    "median": ("median", "中央値"),
    "thresholds_set": (
        "The lines: exposure {exposure}, rate {rate}. An empty field is the median of the period.",
        "境界線：提示 {exposure}、寄与率 {rate}。欄を空にすると、この期間の中央値になります。",
    ),
}
