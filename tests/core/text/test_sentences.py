"""Where sentences begin and end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import Span, split_sentences

_CASES: list[list[str]] = [
    ["これは文です。", "次の文です！", "本当？", "はい。"],
    ["「終わりました。」と言った。", "次です。"],
    ["「行く。」", "彼は言った。"],
    ["（詳しくは規程を参照。）", "次に進む。"],
    ["彼は「行く。でも遅れる。」と言った。", "そして帰った。"],
    ["経費（交通費。宿泊費。）を申請する。", "以上。"],
    ["『本当ですか？』という声。", "だめ。"],
    ["長さは３．５です。", "幅は4.5です。"],
    ["である．", "次に述べる．", "３．５倍．"],
    ["すごい！！！", "え！？", "そう…そして。"],
    ["Yahoo!ニュースを見た。", "モデルはv1.2.3です。"],
    ["文。[1]", "次の文。", "文[1]。", "次[2][3]。"],
    ["Version 1.2.3 is out.", "See e.g. Mr. Smith, i.e. No. 5 of J. R. Smith.", "It works."],
    ["Text. [1]", "Next one.", "Text.[1][2]", "More.[3, 4]", "End."],
    ["Text. [1](https://example.com/a.b)", "Next one."],
    ["See https://example.com/a.b?c=d.", "Then main.py.", "And more...", "But … ok"],
    ["It costs 3.5 dollars!", "Really?", "Yes."],
    ["(See Sec. 3. It is good.)", "Next."],
    ["He lives in the U.S.", "The law applies.", "U.S. Government pays at 5 p.m.", "The end."],
    ['"Really?" he asked.', "Go (really?) now.", '"Yes."', "She left."],
    ["The answer is no.", "Fig. 2 shows it.", "See figs. 3 and 4 etc. in it.", "I do."],
    ["**注意。**", "次に**太字**です。", "**終わり**。"],
    ["**Note.**", "This is **bold.**", "Done."],
    ["1. Foo bar.", "2. Baz qux."],
    ["i tried it.", "it failed."],
    ["裏側は18%となる。[1]。", "しかし条件は悪くなる。"],
    ["番組『かしこまり!』が始まった。", "「万歳!」と叫んだ。", "Google Inc. は会社です。", "O. keta の名。"],
    ["了解です！😀", "ありがとう。🎉🎉", "次。"],
    ["It works. 😎", "Next one!", "Done."],
    ["He said it is so.", "The No. of seasons is 9, built c. 1050 by him."],
    ["Use Node.js and .NET today.", "It is v2.0."],
]


def _join(sentences: list[str]) -> str:
    """Join as people write: a space after Latin sentences, none after Japanese ones."""
    return "".join(sentence + ("" if "\u3000" <= sentence[-1] <= "\uffff" else " ") for sentence in sentences)


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize("sentences", _CASES, ids=lambda sentences: sentences[0])
def test_sentences_are_found_again_after_joining(sentences: list[str]) -> None:
    assert _sentences(_join(sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("改行で\n続く文。\n次の文。", ["改行で\n続く文。", "次の文。"]),
        ("A line goes\non here. Next.", ["A line goes\non here.", "Next."]),
        ("見出しのような行\n\n本文です。", ["見出しのような行", "本文です。"]),
        ("one\n \t\ntwo", ["one", "two"]),
        ("- a item\n- b item\n* c item", ["- a item", "- b item", "* c item"]),
        ("手順：\n1. 開く\n2. 押す", ["手順：", "1. 開く", "2. 押す"]),
        ("・りんご\n・みかん", ["・りんご", "・みかん"]),
        ("# Title\nText here.", ["# Title", "Text here."]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("  間。  後。 ", ["間。", "後。"]),
        ("文。[1]次の文", ["文。[1]", "次の文"]),
        ('They say "it is so. It works." Next.', ['They say "it is so.', 'It works."', "Next."]),
        ("", []),
        (" \n\u3000", []),
    ],
)
def test_line_breaks_join_and_blocks_separate(text: str, sentences: list[str]) -> None:
    assert _sentences(text) == sentences


def test_spans_are_offsets_into_the_text_as_given() -> None:
    assert split_sentences(" ＡＢ。 ｶﾞｲﾄﾞ。") == [Span(1, 4), Span(5, 11)]


_PIECES = st.sampled_from(
    [
        *"。．.!?！？…「」（）()[]\"*_'\n \u3000あ漢aB1,",
        "e.g.",
        "[1]",
        "...",
        "\n\n",
        "\n- ",
        "v1.2",
        "Mr. ",
        "と",
    ]
)


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=60).map("".join)))
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    spans = split_sentences(text)
    assert _visible("".join(text[span.start : span.end] for span in spans)) == _visible(text)
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert all(text[span.start : span.end] == text[span.start : span.end].strip() != "" for span in spans)


def _visible(text: str) -> str:
    return "".join(text.split())


def test_a_long_single_line_is_split_at_every_full_stop() -> None:
    assert len(split_sentences("あいう。" * 50_000)) == 50_000
    assert len(split_sentences("It is so. " * 50_000)) == 50_000


@pytest.mark.parametrize("unit", ["(", "「", "a.*b", "\n ", ". [1", "（あ", "…", '."'])
def test_long_runs_of_openers_and_marks_come_to_an_end(unit: str) -> None:
    text = unit * 50_000
    assert _visible("".join(_sentences(text))) == _visible(text)


def test_a_bold_question_behind_its_letter_stays_whole() -> None:
    text = "**Q. なぜ？**"
    assert [text[span.start : span.end] for span in split_sentences(text)] == [text]
