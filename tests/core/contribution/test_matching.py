import numpy as np
import pytest

from core.contribution.features import TermStats, read_article, weigh_statement
from core.contribution.matching import (
    LINES_PER_ARTICLE,
    Search,
    lines_to_embed,
    prepare_articles,
    score_statement,
    select_lines,
)
from core.contribution.passages import passage_lines
from core.contribution.reading import read_statement
from core.contribution.support import as_row, load_model
from tests.bench.data.generate import generate_pairs
from tests.core.contribution.refs import EXPENSES, LEAVE, UNRELATED, lines_of


def selected(statement: str, text: str, cosines: list[float] | None = None) -> list[int]:
    article = read_article(passage_lines(text))
    weighed = weigh_statement(read_statement(statement), TermStats())
    return select_lines(weighed, article, None if cosines is None else np.array(cosines))


def test_the_line_that_says_it_comes_first() -> None:
    assert selected("領収書の画像を添付します。", EXPENSES)[0] == 1


def test_an_article_without_common_words_is_dropped() -> None:
    assert selected("有給休暇は10日です。", UNRELATED) == []


def test_a_line_of_the_same_meaning_is_kept_without_common_words() -> None:
    assert selected("有給休暇は10日です。", UNRELATED, [0.1, 0.8]) == [1]


def test_no_more_lines_than_needed_are_compared() -> None:
    text = "領収書の画像を添付してください。" * 9
    assert len(selected("領収書の画像を添付します。", text)) == LINES_PER_ARTICLE


def test_lines_outside_the_prefilter_need_no_vector() -> None:
    lines = lines_of(a=LEAVE, b=UNRELATED)
    assert set(lines_to_embed(["有給休暇は10日付与されます。"], lines, TermStats())) <= {0, 1, 2}
    assert lines_to_embed([], lines, TermStats()) == []


def test_each_article_is_scored_by_its_best_line() -> None:
    lines = lines_of(b=LEAVE, a=EXPENSES)
    text = "領収書の画像を添付してください。"
    scores = score_statement(text, prepare_articles(lines), Search(), load_model())
    assert [score.article_id for score in scores] == ["a"]
    assert lines[scores[0].line].line.text == "領収書の画像を添付してください。"
    assert "cosine" not in scores[0].features


def test_the_prefilter_loses_hardly_any_supported_pair() -> None:
    supported = [row for row in generate_pairs() if row["label"] == "supported"]
    lost = [row["id"] for row in supported if not selected(row["sentence"], row["source_text"])]
    assert len(lost) <= 0.01 * len(supported), lost


def test_stored_features_give_the_same_probability_again() -> None:
    model = load_model()
    for text in (
        "領収書の画像を3日以内に添付します。",
        "5万円を超えたら承認が要ります。",
        "領収書は不要です。",
    ):
        for cosines in (None, np.array([0.12345678, 0.0, 0.98765432])):
            for score in score_statement(
                text, prepare_articles(lines_of(a=EXPENSES)), Search(cosines=cosines), model
            ):
                again = model.probabilities(as_row(score.features)).tolist()
                assert again == pytest.approx([score.probability], abs=1e-12)


def test_a_neighbouring_line_does_not_hide_a_contradiction() -> None:
    text = "領収書の画像を添付する必要はありません。"
    source = "支払いは経費システムで申請します。領収書の画像を添付する必要があります。上長が確認します。"
    score = score_statement(text, prepare_articles(lines_of(a=source)), Search(), load_model())[0]
    assert score.features["negation"] == 1.0
    assert score.probability < load_model().threshold


def test_an_article_that_was_looked_up_needs_more_in_common() -> None:
    articles, text = prepare_articles(lines_of(a=EXPENSES)), "領収書の画像を添付してください。"
    shown = score_statement(text, articles, Search(), load_model())[0]
    found = score_statement(text, articles, Search(looked_up=True), load_model())[0]
    assert found.probability < shown.probability
    assert found.features["looked_up"] == 1.0
