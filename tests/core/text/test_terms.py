"""What the analysers make of questions and articles."""

import math
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.latin import split_identifiers
from core.text.terms import AnalyserName, best_available_analyser, content_terms, make_analyser

_NAMES: list[AnalyserName] = ["morphological", "dictionary_free", "bigram"]
_WORD_ANALYSERS: list[AnalyserName] = ["morphological", "dictionary_free"]

_RULES = {
    "経費": "経費精算は、支払った日から30日以内に経費システムで申請します。領収書の画像を添付してください。"
    "5万円を超える支出は事前に上長の承認が必要です。",
    "有給": "有給休暇は入社6か月後に10日付与されます。"
    "取得する日の3営業日前までに勤怠システムで申請してください。半日単位でも取得できます。",
    "在宅": "在宅勤務は週3日まで認めます。前日までにチャットで上長に連絡してください。"
    "自宅のネットワーク代として月3,000円を支給します。",
    "出張": "出張の交通費は経費システムで精算します。"
    "新幹線は普通車指定席まで、飛行機はエコノミークラスまでを会社が負担します。",
    "PC": "パソコンが故障したときは、情報システム部に内線1234で連絡してください。"
    "代わりのパソコンを貸し出します。",
}


def _bm25(name: AnalyserName, question: str, k1: float = 1.5, b: float = 0.75) -> dict[str, float]:
    """Score the five rules: the reference formula, each term of the question counted once."""
    analyser = make_analyser(name)
    counts = {rule: Counter(analyser.analyse(text)) for rule, text in _RULES.items()}
    average = sum(map(Counter.total, counts.values())) / len(counts)
    scores = dict.fromkeys(_RULES, 0.0)
    for term in set(analyser.analyse(question)):
        frequency = sum(term in count for count in counts.values())
        idf = math.log(1 + (len(counts) - frequency + 0.5) / (frequency + 0.5))
        for rule, count in counts.items():
            norm = k1 * (1 - b + b * count.total() / average)
            scores[rule] += idf * count[term] * (k1 + 1) / (count[term] + norm)
    return {rule: round(score, 2) for rule, score in scores.items()}


@pytest.mark.parametrize(
    ("question", "scores"),
    [
        (
            "新幹線代はどうやって精算しますか",
            {"出張": 5.79, "経費": 1.17, "在宅": 0.41, "PC": 0.40, "有給": 0.12},
        ),
        ("休みを取りたいときの手続き", {"出張": 0, "経費": 0, "在宅": 0, "PC": 1.49, "有給": 0}),
        ("有給休暇の取得の申請", {"出張": 0, "経費": 0.82, "在宅": 0, "PC": 0, "有給": 6.87}),
    ],
)
def test_plain_bigrams_give_the_published_scores(question: str, scores: dict[str, float]) -> None:
    assert _bm25("bigram", question) == scores


_QUESTIONS = {
    "領収書はどうすればいいですか": "経費",
    "新幹線のグリーン車は使えますか": "出張",
    "パソコンが壊れました": "PC",
    "家で働けるのは週に何日までですか": "在宅",
    "休みを取りたいときの手続き": "有給",
    "入社してすぐ休暇はもらえますか": "有給",
}


@pytest.mark.parametrize("name", _NAMES)
def test_five_of_the_six_questions_find_their_rule_first(name: AnalyserName) -> None:
    found = {
        question: max(scores, key=scores.__getitem__)
        for question in _QUESTIONS
        if max((scores := _bm25(name, question)).values()) > 0
    }
    assert sum(found.get(question) == rule for question, rule in _QUESTIONS.items()) >= 5


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("新幹線代はどうやって精算しますか", ["新", "幹線", "代", "新幹線代", "精算"]),
        ("休みを取りたいときの手続き", ["休み", "取る", "手続き"]),
        ("サーバとサーバー、引越しと引っ越し", ["サーバー", "サーバー", "引っ越し", "引っ越し"]),
        ("ﾊﾟｽﾜｰﾄﾞを忘れた", ["パスワード", "忘れる"]),
        ("5万円と50,000円と５万円", ["50000", "円", "50000円"] * 3),
        ("三十日以内", ["30", "日", "以内", "30日以内"]),
        ("締切は三十日", ["締め切り", "30", "日", "30日"]),
        ("Running the runners' tests", ["run", "runner", "test"]),
        ("FastAPI の設定方法", ["fastapi", "fast", "api", "設定", "方法", "設定方法"]),
        ("は、が、を。！？", []),
        ("", []),
    ],
)
def test_the_default_keeps_normalised_content_words(text: str, terms: list[str]) -> None:
    assert make_analyser("morphological").analyse(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("休みを取る", ["休", "休み", "を取", "取", "取る"]),
        ("サーバー", ["サ", "サー", "ーバ", "バ", "バー"]),
        ("これはそれです", []),
        ("PCを買う", ["pc", "を買", "買", "買う"]),
        ("ﾊﾟﾅ", ["パ", "パナ", "ナ"]),
    ],
)
def test_without_a_dictionary_pairs_and_single_characters_stand_for_words(
    text: str, terms: list[str]
) -> None:
    assert make_analyser("dictionary_free").analyse(text) == terms


@pytest.mark.parametrize("name", _WORD_ANALYSERS)
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("エラー ABC-123 が出た", "abc-123"),
        ("エラー ABC-123 が出た", "ABC123"),
        ("the d_k parameter", "d_k"),
        ("the d_k parameter", "dk"),
        ("the d_k parameter", "d\u2096"),
        ("d₂ norm", "d2"),
        ("released v1.2.3 today", "v1.2.3"),
        ("released v1.2.3 today", "1.2.3"),
        ("call foo.bar() first", "foo.bar"),
        ("call foo.bar() first", "bar"),
        ("set max_context_tokens", "max_context_tokens"),
        ("set max_context_tokens", "context"),
        ("class HttpServerError", "httpservererror"),
        ("class HttpServerError", "server"),
        ("send an e-mail", "email"),
        ("Wi-Fi の設定", "wifi"),
        ("Wi-Fi の設定", "wi-fi"),
        ("use std::vec here", "std::vec"),
        ("C++ と C# の違い", "c++"),
        ("C++ と C# の違い", "C#"),
        ("costs 50,000 yen", "50000"),
        ("A T T E N T I O N", "attention"),
        ("設定.tomlを開く", "toml"),
        ("ＡＢＣ－１２３", "ABC-123"),
    ],
)
def test_identifiers_are_found_whole_and_in_part(name: AnalyserName, written: str, asked: str) -> None:
    analyser = make_analyser(name)
    assert set(analyser.analyse(asked)) & set(analyser.analyse(written))


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("ABC-123 d_k v1.2.3", ["abc-123", "d_k", "v1.2.3"]),
        ("call foo.bar() in CamelCase", ["foo.bar", "camelcase"]),
    ],
)
def test_identifiers_are_listed_whole(text: str, whole: list[str]) -> None:
    assert split_identifiers(text) == whole
    assert set(whole) <= set(make_analyser("morphological").analyse(text))


@pytest.mark.parametrize("name", _WORD_ANALYSERS)
def test_case_and_width_do_not_change_what_is_found(name: AnalyserName) -> None:
    analyser = make_analyser(name)
    assert analyser.analyse("ＡＰＩキー") == analyser.analyse("apiキー")


@pytest.mark.parametrize("name", _NAMES)
@given(text=st.text())
def test_any_text_passes_and_gives_the_same_terms_again(name: AnalyserName, text: str) -> None:
    analyser = make_analyser(name)
    terms = analyser.analyse(text)
    assert all(terms)
    assert analyser.analyse(text) == terms


@pytest.mark.parametrize("unit", ["経費を精算する。", "経費精算", "𠮷野家で食べる", "あ"])
def test_input_beyond_the_tokenizers_limit_is_read_to_its_end(unit: str) -> None:
    text = unit * (60_000 // len(unit.encode())) + "最後に出張。"
    assert make_analyser("morphological").analyse(text)[-1] == "出張"


def test_a_list_given_out_may_be_changed() -> None:
    analyser = make_analyser("morphological")
    analyser.analyse("経費の精算").clear()
    assert analyser.analyse("経費の精算") == ["経費", "精算"]


def test_several_threads_may_share_an_analyser() -> None:
    analyser = make_analyser("morphological")
    texts = [
        f"{number}番目の経費精算を{number}日以内に申請する。Running {number} tests." for number in range(200)
    ]
    expected = [analyser.analyse(text + "。" * 200) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: analyser.analyse(text + "。" * 200), texts)) == expected


def test_the_id_tells_the_versions_that_decide_terms() -> None:
    ids = {name: make_analyser(name).id for name in _NAMES}
    assert len(set(ids.values())) == 3
    assert "sudachipy-" in ids["morphological"]
    assert "small-" in ids["morphological"]
    assert "stemmer-" in ids["dictionary_free"]


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="morphological, dictionary_free, bigram"):
        make_analyser("trigram")  # type: ignore[arg-type]  # the point of the test


def test_the_dictionary_decides_which_analyser_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    assert best_available_analyser().id.startswith("morphological/")
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    assert best_available_analyser().id.startswith("dictionary_free/")
    with pytest.raises(ValueError, match="sudachipy"):
        make_analyser("morphological")


def test_content_terms_name_each_word_once_in_order_without_compounds() -> None:
    assert content_terms("経費精算と経費の申請") == ["経費", "精算", "申請"]


def test_content_terms_leave_out_function_words_that_search_keeps() -> None:
    text = "What should I do about the expenses?"
    assert content_terms(text) == ["expens"]
    assert "what" in make_analyser("morphological").analyse(text)
