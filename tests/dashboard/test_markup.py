"""Statements and articles as HTML."""

from __future__ import annotations

from dataclasses import replace

from core.domain import Answer, Article
from core.storage.line_places import LinePlace
from dashboard.markup import articles_html, legend_html, statements_html
from dashboard.text import Words
from tests.samples import Shown, answer_with, article_record

ENGLISH = Words("en")
ATTACK = "<script>alert(1)</script>"


def answer() -> Answer:
    return answer_with(
        "x1",
        [
            Shown("docs:a.md", {0: "Hotels are paid up to 14,000 yen."}),
            Shown("docs:c.md", {1: "水抜き栓を開けます。"}, exposed=False),
            Shown("docs:b.md"),
        ],
    )


def articles() -> dict[str, Article]:
    titles = {"a": "Travel", "b": "First week", "c": "冬の準備"}
    made = [article_record(f"{key}.md", ["One."], title=title).article for key, title in titles.items()]
    return {article.id: article for article in made}


def test_every_statement_shows_its_verdict_its_line_and_the_probability() -> None:
    html = statements_html(answer(), articles(), ENGLISH)
    first, second, third, _ = html.split("<details")[1:]
    assert "● supported" in first
    assert "Hotels are paid up to 14,000 yen." in first
    assert ">Travel</a> · probability 0.94 · cited" in first
    assert "not shown" in second
    assert "○ not supported" in third
    assert "No line of any article comes near." in third


def test_hovering_tells_the_line_and_its_probability() -> None:
    html = statements_html(answer(), articles(), ENGLISH)
    assert 'title="Hotels are paid up to 14,000 yen. (Travel, probability 0.94)"' in html


def test_the_nearest_line_of_an_unsupported_statement_is_named_as_such() -> None:
    whole = answer()
    far = replace(whole.evaluation.supports[0], statement=3, verdict="unsupported", probability=0.12)
    verdicts = (*whole.evaluation.verdicts[:3], "unsupported")
    evaluation = replace(whole.evaluation, supports=(far,), verdicts=verdicts)
    html = statements_html(replace(whole, evaluation=evaluation), articles(), ENGLISH)
    assert "Nearest line: <q>Hotels are paid" in html
    assert "probability 0.12" in html


def test_what_is_not_judged_says_why_there_is_nothing_to_check() -> None:
    html = statements_html(answer_with("x1", [], judged=False), {}, ENGLISH)
    assert html.count("nothing to check") == 4 * 2


def test_the_articles_that_carried_come_with_their_lines_the_others_by_name() -> None:
    html = articles_html(answer(), articles(), ENGLISH)
    cards = html.split('<div class="kiyo-a">')[1:]
    assert len(cards) == 2
    assert "carried 25% of the answer · shown" in cards[0]
    assert "<li>Hotels are paid up to 14,000 yen.</li>" in cards[0]
    assert "width:25%" in cards[0]
    assert "carried 25% of the answer · not shown" in cards[1]
    assert "1 more were shown and carried nothing: First week" in html


def test_texts_from_answers_and_articles_are_escaped() -> None:
    whole = answer()
    statement = replace(whole.evaluation.statements[0], text=ATTACK)
    support = replace(whole.evaluation.supports[0], line_text=ATTACK)
    evaluation = replace(
        whole.evaluation,
        statements=(statement, *whole.evaluation.statements[1:]),
        supports=(support, *whole.evaluation.supports[1:]),
    )
    made = replace(whole, evaluation=evaluation)
    named = articles()
    named["docs:a.md"] = replace(named["docs:a.md"], title=ATTACK, uri='"><img src=x>')
    html = statements_html(made, named, ENGLISH) + articles_html(made, named, ENGLISH)
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_the_legend_names_all_five_verdicts() -> None:
    assert legend_html(Words("ja")).count("<li>") == 5


def test_a_line_leads_to_its_article_and_to_its_page_in_the_source() -> None:
    made = articles()
    linked = {**made, "docs:a.md": replace(made["docs:a.md"], uri="https://files.example/a.pdf")}
    version = answer().evaluation.supports[0].version
    places = {("docs:a.md", version, 0): LinePlace(3, 14)}
    html = statements_html(answer(), linked, ENGLISH, places)
    assert 'href="article?article=docs%3Aa.md&amp;lang=en"' in html
    assert 'href="https://files.example/a.pdf#page=3"' in html
    assert "page 3 · line 14" in html


def test_an_address_that_is_no_web_address_is_no_link() -> None:
    made = articles()
    evil = {**made, "docs:a.md": replace(made["docs:a.md"], uri="javascript:alert(1)")}
    assert "javascript:" not in statements_html(answer(), evil, ENGLISH)
