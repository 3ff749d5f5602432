"""Tell in which language a text is written, as far as Kiyo answers in it: Japanese, English or another."""

import re
from collections import Counter
from typing import Literal

from core.text.normalise import fold_width
from core.text.stopwords import ENGLISH, OTHER_LATIN

Language = Literal["ja", "en", "other"]

_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|\]\([^)\s]{0,500}\)|https?://[\w/:%#$&?()~.=+@;,-]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.]+"
    r"|(?<![\w.-])(?:[A-Za-z]:)?[\w.-]{0,100}(?:[/\\][\w.-]+){2,}|<[^<>\n]{1,200}>",
    re.DOTALL | re.ASCII,
)
_HIRAGANA = re.compile("[\u3041-\u3096]")
_KATAKANA = re.compile("[\u30a1-\u30fa]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN_WORD = re.compile("[a-z\u00c0-\u024f]+(?:'[a-z]+)?")
_ENDS_IN_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc][^\\w]*$")
_ENDS_AS_PREDICATE = re.compile(
    "(?:です|ます|でした|ました|ません|ください|下さい|したい|とは|のか|ですか|ますか|でしょうか|する|した|ない|教えて)[^\\w]*$"
)
# Chinese function characters that Japanese text without kana hardly shows.
_CHINESE = re.compile("[你您吗嗎呢吧哪們们么麼這这没沒很请给让怎]|請問|如何|可以|谢谢|謝謝|我的")
_SAMPLE = 20_000


def detect_language(text: str) -> Language:
    """Name the language of the majority of the prose; code, addresses and paths do not count.

    A question mixes scripts freely: its function words decide ("FastAPI の設定方法" is Japanese, "What does
    有給休暇 mean?" English). Names in Latin letters without function words pass as English. Chinese, Korean,
    German, French and whatever else is neither, or text without letters, is "other".
    Looks at the first 20,000 characters.
    """
    prose = fold_width(_NOT_PROSE.sub(" ", text[:_SAMPLE])).lower()
    if not any(character.isalpha() for character in prose):
        prose = fold_width(text[:_SAMPLE]).lower()
    hiragana = len(_HIRAGANA.findall(prose))
    katakana = len(_KATAKANA.findall(prose))
    han = len(_HAN.findall(prose))
    words = _LATIN_WORD.findall(prose)
    latin = sum(map(len, words))
    other = sum(map(str.isalpha, prose)) - hiragana - katakana - han - latin
    japanese = hiragana + katakana + han
    if other > max(japanese * 2, latin):
        return "other"
    function_words = sum(1 for word in words if word in ENGLISH)
    if _reads_as_japanese(prose, hiragana, katakana + han, latin, function_words):
        return "other" if _is_chinese(prose, hiragana + katakana, han) else "ja"
    return "en" if words and _is_english(words) else "other"


def _reads_as_japanese(prose: str, hiragana: int, others: int, latin: int, function_words: int) -> bool:
    if not hiragana + others:
        return False
    if hiragana >= 4 and latin <= 6 * (hiragana + others) and _ENDS_AS_PREDICATE.search(prose):
        return True
    if function_words == 0 or (function_words < 3 and _ENDS_IN_KANA.search(prose)):
        # No grammar but Japanese: Latin letters are names, unless they are very many.
        return latin <= 30 * (hiragana + others)
    return 2 * hiragana + 1.5 * others > latin + 4 * function_words


def _is_chinese(prose: str, kana: int, han: int) -> bool:
    if kana * 10 >= han:
        return False
    han_only = _HAN.findall(prose)
    foreign = sum(1 for character in han_only if not _in_japanese_charset(character))
    function_characters = len(_CHINESE.findall(prose))
    return foreign * 20 > han or function_characters >= 2 or function_characters * 8 > han


def _in_japanese_charset(character: str) -> bool:
    """Say whether the character is one of JIS X 0208 and its extensions: simplified ones are not."""
    try:
        character.encode("cp932")
    except UnicodeEncodeError:
        return False
    return True


def _is_english(words: list[str]) -> bool:
    counts = Counter(words)
    english = sum(count for word, count in counts.items() if word in ENGLISH)
    best_other = max(
        sum(count for word, count in counts.items() if word in vocabulary)
        for vocabulary in OTHER_LATIN.values()
    )
    accented = sum(count for word, count in counts.items() if not word.isascii())
    return english >= best_other + (accented if best_other or accented * 2 > len(words) else 0)
