"""Statements and articles as HTML, and words in Markdown, in which every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from core.domain import Answer, Article, ArticleId, Contribution, Support, Verdict
from core.storage.line_places import LineKey, LinePlace
from dashboard.text import Words

MARKS: dict[Verdict, str] = {
    "supported": "●",
    "uncited": "◐",
    "unverified": "◌",
    "unsupported": "○",
    "not_judged": "–",
}
COLOURS: dict[Verdict, str] = {
    "supported": "#009E73",
    "uncited": "#2F8FC9",
    "unverified": "#C98500",
    "unsupported": "#D55E00",
    "not_judged": "#8C8C8C",
}

STYLE = """<style>
.kiyo-s{border-left:5px solid var(--c);background:color-mix(in srgb,var(--c) 9%,transparent);
 border-radius:4px;margin:0 0 .45rem;padding:.45rem .7rem}
.kiyo-s summary{cursor:pointer;list-style:none;line-height:1.65;overflow-wrap:anywhere}
.kiyo-s summary::-webkit-details-marker{display:none}
.kiyo-s summary:hover{text-decoration:underline dotted var(--c)}
.kiyo-b{color:var(--c);font-weight:700;font-size:.8rem;white-space:nowrap;margin-left:.4rem;
 filter:saturate(1.1)}
.kiyo-w{margin:.5rem 0 .1rem;padding:.4rem .6rem;
 border-top:1px solid color-mix(in srgb,var(--c) 35%,transparent);
 font-size:.9rem;overflow-wrap:anywhere}
.kiyo-w q{quotes:none;font-style:normal}
.kiyo-m{opacity:.75;font-size:.82rem}
.kiyo-a{border:1px solid rgba(128,128,128,.35);border-radius:6px;padding:.6rem .8rem;margin:0 0 .6rem;
 overflow-wrap:anywhere}
.kiyo-a b{font-size:1rem}
.kiyo-bar{height:8px;border-radius:4px;background:rgba(128,128,128,.22);margin:.45rem 0 .3rem;overflow:hidden}
.kiyo-bar i{display:block;height:100%;background:#0072B2}
.kiyo-l{margin:.35rem 0 0;padding-left:1.1rem;font-size:.88rem}
.kiyo-l li{margin:.2rem 0}
.kiyo-g{display:flex;flex-wrap:wrap;gap:.35rem 1rem;font-size:.85rem}
.kiyo-g span{white-space:nowrap}
</style>"""

Titles = Mapping[ArticleId, Article]
_MARKDOWN = re.compile(r"[!-/:-@\[-`{-~]")


def escape_markdown(text: str) -> str:
    """One line that Markdown shows as it is: no link, picture, colour or formula comes of it."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def statements_html(
    answer: Answer, articles: Titles, words: Words, places: Mapping[LineKey, LinePlace] | None = None
) -> str:
    """Every statement with its verdict; opening one shows the lines that carry it and how probably.

    places: where the lines stand in their files.
    """
    known = places if places is not None else {}
    by_statement: dict[int, list[Support]] = {}
    for support in answer.evaluation.supports:
        by_statement.setdefault(support.statement, []).append(support)
    parts = []
    for statement, verdict in zip(answer.evaluation.statements, answer.evaluation.verdicts, strict=True):
        pairs = _worth_showing(by_statement.get(statement.ordinal, []), verdict)
        inside = "".join(_witness(pair, articles, words, known) for pair in pairs)
        if not inside:
            reason = "not_judged_help" if verdict == "not_judged" else "no_line"
            inside = f'<div class="kiyo-w">{escape(words(reason))}</div>'
        hint = f"{words(verdict)}: {words(f'{verdict}_help')}"
        first = _hover(pairs, articles, words)
        badge = f'<span class="kiyo-b">{MARKS[verdict]} {escape(words(verdict))}</span>'
        summary = f'<summary title="{escape(first or hint)}">{escape(statement.text)}{badge}</summary>'
        parts.append(f'<details class="kiyo-s" style="--c:{COLOURS[verdict]}">{summary}{inside}</details>')
    return "".join(parts)


def articles_html(answer: Answer, articles: Titles, words: Words) -> str:
    """The articles that carried something, strongest first, each with its lines; then the others by name."""
    carrying = [c for c in answer.evaluation.contributions if c.statements or c.share is None]
    idle = [c for c in answer.evaluation.contributions if not (c.statements or c.share is None)]
    numbers = {statement.ordinal: n for n, statement in enumerate(answer.evaluation.statements, start=1)}
    parts = [_article(item, answer, articles, words, numbers) for item in carrying]
    if idle:
        titles = ", ".join(_title(item.article_id, articles) for item in idle)
        note = words("more_idle", count=len(idle), titles=titles)
        parts.append(f'<p class="kiyo-m">{escape(note)}</p>')
    return "".join(parts)


def legend_html(words: Words) -> str:
    """The five verdicts with their marks and what they mean."""
    items = "".join(
        f'<li><b style="color:{COLOURS[verdict]}">{mark} {escape(words(verdict))}</b> '
        f"{escape(words(f'{verdict}_help'))}</li>"
        for verdict, mark in MARKS.items()
    )
    return f'<ul class="kiyo-l">{items}</ul>'


def _worth_showing(supports: Sequence[Support], verdict: Verdict) -> list[Support]:
    """The pairs of the statement's own verdict, else the nearest line; best first, three at most."""
    ordered = sorted(supports, key=lambda s: -(s.probability or 0.0))
    confirmed = [s for s in ordered if s.verdict in ("supported", "uncited")]
    cited = [s for s in ordered if s.verdict == "unverified"] if verdict == "unverified" else []
    return (confirmed or cited or ordered[:1])[:3]


def _hover(pairs: Sequence[Support], articles: Titles, words: Words) -> str:
    if not pairs or pairs[0].probability is None:
        return ""
    best = pairs[0]
    probability = words("probability", probability=f"{best.probability:.2f}")
    return f"{best.line_text} ({_title(best.article_id, articles)}, {probability})"


def _witness(support: Support, articles: Titles, words: Words, places: Mapping[LineKey, LinePlace]) -> str:
    place = places.get((support.article_id, support.version, support.line or 0))
    details = []
    if support.line is not None and place is not None:
        details.append(words("page", page=place.page) if place.page is not None else "")
        details.append(words("line", line=place.line))
    if support.probability is not None:
        details.append(words("probability", probability=f"{support.probability:.2f}"))
    details.append(words("cited") if support.label else "")
    details.append("" if support.exposed else words("not_exposed"))
    lead = "" if support.verdict in ("supported", "uncited") else f"{words('best_line')}: "
    told = "".join(f" · {escape(part)}" for part in details if part)
    return (
        f'<div class="kiyo-w">{escape(lead)}<q>{escape(support.line_text)}</q>'
        f'<div class="kiyo-m">{_links(support.article_id, articles, place, words)}{told}</div></div>'
    )


def _links(article_id: ArticleId, articles: Titles, place: LinePlace | None, words: Words) -> str:
    """To the page of the article, which checks again who may read it, and to a file on the web."""
    article = articles.get(article_id)
    if article is None:
        return escape(article_id)
    inside = f"article?{urlencode({'article': article_id, 'lang': words.locale})}"
    linked = f'<a href="{escape(inside)}" target="_self">{escape(article.title)}</a>'
    if article.uri.startswith(("https://", "http://")):
        page = f"#page={place.page}" if place is not None and place.page is not None else ""
        source = escape(article.uri.partition("#")[0] + page if page else article.uri)
        linked += f' · <a href="{source}" target="_blank" rel="noopener">{escape(words("open_source"))}</a>'
    return linked


def _article(
    item: Contribution, answer: Answer, articles: Titles, words: Words, numbers: Mapping[int, int]
) -> str:
    if item.share is None:
        share = words("share_none")
    elif item.statements:
        share = words("share", share=f"{item.share:.0%}")
    else:
        share = words("share_zero")
    exposed = words("exposed" if item.exposed else "not_exposed")
    width = 0 if item.share is None else round(100 * item.share)
    lines = {
        (support.line, support.line_text): numbers[support.statement]
        for support in answer.evaluation.supports
        if support.article_id == item.article_id and support.verdict in ("supported", "uncited")
    }
    listed = "".join(f"<li>{escape(text)}</li>" for _, text in sorted(lines, key=lambda key: key[0] or 0))
    article = articles.get(item.article_id)
    where = escape(article.uri) if article else escape(item.article_id)
    return (
        f'<div class="kiyo-a"><b>{escape(_title(item.article_id, articles))}</b>'
        f'<div class="kiyo-m">{where}</div>'
        f'<div class="kiyo-bar"><i style="width:{width}%"></i></div>'
        f'<div class="kiyo-m">{escape(share)} · {escape(exposed)}</div>'
        f'<ul class="kiyo-l">{listed}</ul></div>'
    )


def _title(article_id: ArticleId, articles: Titles) -> str:
    article = articles.get(article_id)
    return article.title if article else article_id
