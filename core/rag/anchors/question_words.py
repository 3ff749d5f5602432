"""Words that ask rather than name: they are never keywords of a question."""

from __future__ import annotations

from core.text.stopwords import ENGLISH


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ASKING_ENGLISH = _words(
    """
    many much long often kind kinds type types sort sorts way ways thing things tell explain describe list
    give show say says mean means happen happens exist use used using uses get gets got make makes made go
    goes become becomes possible whether still ever really actually exactly please want need know find
    """
)
_ASKING_JAPANESE = _words(
    """
    どの よう 何 何故 なぜ どう 如何 幾 どこ いつ いくつ いくら どれ どちら 教える 方 やり方 方法 使う
    使用 場合 事 物 時 人 中 的 下 上 為 場所 必要 可能 説明 知る 聞く 言う 思う 分かる 考える くらい
    程 内容 意味 ある いる する なる できる 取る 組む 行う 行なう 受ける 種類 理由 違い
    """
)

IGNORED = ENGLISH | _ASKING_ENGLISH | _ASKING_JAPANESE
