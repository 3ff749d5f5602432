"""Whether a statement says the opposite of its source: a shared word negated, or its antonym instead."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from core.contribution.antonyms import english_antonyms, japanese_antonyms
from core.text.latin import CJK, stem
from core.text.normalise import normalise
from core.text.stopwords import ENGLISH

_ENGLISH_SCOPE_WORDS = 3
"""Words with a meaning of their own that a negation reaches."""
_JAPANESE_SCOPE_CHARACTERS = 10

_WORD = re.compile(rf"[^\W\d_{CJK}]+(?:'[a-z]+)?|[\u4e00-\u9fff々]+|[ァ-ヺー]{{2,}}|[.;:!?,、。]")
_ENGLISH_NEGATION = re.compile(
    r"(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fails?|failed|hardly|lacks?|\w+n't)"
)
_ENGLISH_SCOPE_ENDS = frozenset([*".;:!?,", "but", "because", "while", "although", "and"])
_ENGLISH_EXCEPTION = re.compile(
    r"\bnot (?:only|just|merely|least)\b|\bno (?:later|more|less|fewer|sooner|doubt|matter)\b|\bnothing but\b"
    r"|\bwhether or not\b|\bno\. ?(?=\d)|\bwithout (?:a )?doubt\b|\bnot to mention\b"
)
_JAPANESE_EXCEPTION = re.compile(
    r"(?:なければ|なくては|ないと|ねば)(?:なりません|ならない|ならず|いけません|いけない)|かも(?:しれ|知れ)(?:ません|ない)"
    r"|に(?:ほか|他)なりません|に(?:ほか|他)ならない|に(?:過ぎ|すぎ)(?:ません|ない)|(?:だけ|ばかり)(?:では|で|じゃ)?なく|のみならず|では(?:なく|無く)(?:て)?"
    r"|少なく(?:とも|ない|ありません)|(?:やむ|ざる)を(?:得|え)(?:ない|ません|ず)|(?:間違|違)い(?:ない|ありません)"
    r"|なくな|な(?:い|く)(?:ように|て済)|しか(?![けるたも]).{1,12}?(?:ない|ません)|絶え(?:ず|ない)|必ず|まず|先ず|わず|思わず|いず|はず"
)
_JAPANESE_NEGATION = re.compile(
    r"ません|ない|なかっ|なく|ずに|(?<=[わかさたなまらせれけきえべげめ])ず(?=[、。\s]|$)"
)
_JAPANESE_NONE = re.compile(
    r"(?:一[人つ匹頭台本枚個件度]|誰|だれ|何|どれ|いずれ)も[^、。]{0,12}?(?:ない|ません|なかっ)"
)
_JAPANESE_RUN = re.compile(r"[\u4e00-\u9fff々]+|[ァ-ヺー]{2,}")
_JAPANESE_BORDER = re.compile("[、。「」（）()\\s]")


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a text affirms and denies. english, japanese: its words that have antonyms."""

    affirmed: frozenset[str]
    denied: frozenset[str]
    english: frozenset[str]
    japanese: frozenset[str]


@lru_cache(maxsize=16384)
def read_polarity(text: str) -> Polarity:
    """Sort the words of a text into affirmed and denied, and note those that have an antonym."""
    folded = normalise(text)
    masked = _JAPANESE_EXCEPTION.sub(
        lambda match: "＿" * len(match.group()), _ENGLISH_EXCEPTION.sub(" ", folded)
    )
    negated = _negated_positions(masked)
    affirmed: set[str] = set()
    denied: set[str] = set()
    words: set[str] = set()
    scope_left = 0
    for match in _WORD.finditer(masked):
        word = match.group()
        if word[0].isascii():
            if word in _ENGLISH_SCOPE_ENDS:
                scope_left = 0
            elif _ENGLISH_NEGATION.fullmatch(word):
                scope_left = _ENGLISH_SCOPE_WORDS
            elif word in ENGLISH:
                words.add(stem(word))
            else:
                word = stem(word)
                words.add(word)
                (denied if scope_left > 0 else affirmed).add(word)
                scope_left -= 1
        elif word not in "、。":
            (denied if match.start() in negated else affirmed).add(word)
    english = frozenset(words & english_antonyms().keys())
    return Polarity(
        frozenset(affirmed), frozenset(denied), english, frozenset(_opposite_pattern().findall(folded))
    )


def negation_mismatch(statement: Polarity, source: Polarity) -> bool:
    """Say whether a word they share is denied by one and only affirmed by the other."""
    return bool(
        (statement.denied & source.affirmed) - source.denied - statement.affirmed
        or (statement.affirmed & source.denied) - source.affirmed - statement.denied
    )


def antonym_mismatch(statement: Polarity, source: Polarity) -> bool:
    """Say whether the statement has a word where the source has only its opposite."""
    return _opposed(statement.english, source.english, english_antonyms()) or _opposed(
        statement.japanese, source.japanese, japanese_antonyms()
    )


def _opposed(stated: frozenset[str], sourced: frozenset[str], antonyms: dict[str, frozenset[str]]) -> bool:
    return any(antonyms[word] & sourced and not antonyms[word] & stated for word in stated - sourced)


def _negated_positions(text: str) -> set[int]:
    """Return where the words begin that Japanese negations deny: the last before one, all with "none"."""
    positions = set()
    for match in _JAPANESE_NEGATION.finditer(text):
        start = max(0, match.start() - _JAPANESE_SCOPE_CHARACTERS)
        start = max(
            [start, *(border.end() for border in _JAPANESE_BORDER.finditer(text, start, match.start()))]
        )
        runs = list(_JAPANESE_RUN.finditer(text, start, match.start()))
        if runs:
            positions.add(runs[-1].start())
    for match in _JAPANESE_NONE.finditer(text):
        start = max(text.rfind(mark, 0, match.start()) for mark in "。\n") + 1
        positions.update(run.start() for run in _JAPANESE_RUN.finditer(text, start, match.start()))
    return positions


@cache
def _opposite_pattern() -> re.Pattern[str]:
    longest_first = sorted(japanese_antonyms(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
