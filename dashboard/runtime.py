"""What the pages read: rows of the database, within what the person who looks may see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta

import streamlit as st

from core.config import load_settings
from core.contribution.biases import Biases, find_biases
from core.contribution.label_pairs import LabelCounts, LabelPair, LabelRow, LabelValue
from core.contribution.labels import Agreement
from core.contribution.quadrants import Quadrant, Thresholds, classify_quadrant, find_thresholds
from core.domain import PUBLIC, Answer, Article, ArticleId, Principal
from core.ports import AudienceId
from core.storage.answer_reports import AnswerChoices, AnswerFilter, AnswerLine, AnswerPage, AnswerReports
from core.storage.answers import SqlAnswerStore
from core.storage.article_reports import ArticleHead, ArticleReports, ArticleVersion, CarriedAnswer, Heat
from core.storage.audit import SqlAuditLog
from core.storage.bias_reports import BiasReports
from core.storage.engine import Database, open_database
from core.storage.gap_reports import GapEntry, GapList, GapReports
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.labels import SqlLabelStore
from core.storage.line_places import LineKey, LinePlace, find_places
from core.storage.people import SqlPeopleStore
from core.storage.reports import DayFigures, MissedArticle, Overview, Period, QuadrantRow, Reports
from core.storage.traces import SqlTraceStore
from core.usecases import labels
from core.usecases.accounts import find_session
from core.usecases.audit import Acting
from core.usecases.people import Person, Role
from dashboard.admission import is_loopback, needs_no_account
from dashboard.keeping import share

GROUPS_VARIABLE = "KIYO_DASHBOARD_GROUPS"
"""Groups of the person who looks, separated by commas; whoever starts the dashboard sets it."""
PERIODS = {"days_7": 7, "days_30": 30, "days_90": 90}
"""Name of a choice -> days up to today; any other choice is all time."""
BIAS_ANSWERS = 1_000
MISSES = 20
ARTICLE_LINES = 500
ARTICLE_VERSIONS = 10
ARTICLE_ANSWERS = 10
"""How much of one article is read at once: lines, latest versions, latest answers it carried."""
EVERYTHING = Period(date(1970, 1, 1), date(9999, 12, 31))


@dataclass(frozen=True, slots=True)
class QuadrantFigures:
    """Everything the quadrant page shows. fields: the quadrant of each row. not_shown: articles with
    figures that the person may not read."""

    rows: tuple[QuadrantRow, ...]
    fields: tuple[Quadrant, ...]
    thresholds: Thresholds
    overview: Overview
    not_shown: int


@dataclass(frozen=True, slots=True)
class FoundGaps:
    """Everything the page of gaps shows. since: the Monday of the first week. misses: said by articles that
    were not shown."""

    since: date
    until: date
    listed: GapList
    misses: tuple[MissedArticle, ...]


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """One answer as the person may see it.

    articles: those it speaks of and that may be read. protected: it rests on others, too, so its text is
    kept back. places: where the lines that carry it stand today, as far as they are unchanged.
    """

    answer: Answer
    articles: dict[ArticleId, Article]
    protected: bool
    places: Mapping[LineKey, LinePlace] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeenArticle:
    """Everything the page of one article shows."""

    head: ArticleHead
    heat: Heat
    days: tuple[DayFigures, ...]
    versions: tuple[ArticleVersion, ...]
    carried: tuple[CarriedAnswer, ...]


class Viewer:
    """A database and the person who looks at it."""

    def __init__(
        self,
        database: Database,
        principal: Principal,
        role: Role = "viewer",
        also: frozenset[Role] = frozenset(),
        *,
        signed_in: bool = False,
    ) -> None:
        self._reports = Reports(database)
        self._answers = SqlAnswerStore(database)
        self._answer_reports = AnswerReports(database)
        self._article_reports = ArticleReports(database)
        self._traces = SqlTraceStore(database)
        self._knowledge = SqlKnowledgeStore(database)
        self._gaps = GapReports(database, principal)
        self._biases = BiasReports(database)
        self._labels = SqlLabelStore(database)
        self._principal = principal
        self.database = database
        self.signed_in = signed_in
        self.person = Person(principal.id, role, also)
        self.acting = Acting(self.person, SqlAuditLog(database))

    def may(self, needed: Role) -> bool:
        """Whether the person's roles include this one."""
        return self.person.may(needed)

    @property
    def principal(self) -> Principal:
        """Whose groups decide what may be read."""
        return self._principal

    def audiences(self) -> list[AudienceId]:
        """Those whose articles the person may read."""
        return self._audiences()

    def revision(self) -> int:
        """Raised by every change of an article or of its readers: a part of the key of what is kept."""
        return self._knowledge.revision()

    def read_quadrants(
        self,
        period: Period,
        kinds: tuple[str, ...] = (),
        wanted: tuple[float | None, float | None] = (None, None),
    ) -> QuadrantFigures:
        """Figures of all articles that were retrieved or carried anything, the strongest first.

        kinds: of articles; none lets all pass. wanted: thresholds of exposure and rate in place of medians.
        """
        audiences = self._audiences()
        overview = self._reports.overview(period)
        key = ("quadrants", *self._figures_of(period, audiences, overview), kinds, wanted)
        return share(key, lambda: self._quadrants(period, kinds, wanted, overview))

    def _quadrants(
        self,
        period: Period,
        kinds: tuple[str, ...],
        wanted: tuple[float | None, float | None],
        overview: Overview,
    ) -> QuadrantFigures:
        audiences = self._audiences()
        rows = self._reports.quadrant_rows(period, audiences, kinds)
        rows.sort(key=lambda row: (-row.contribution, -row.exposure, row.title))
        medians = find_thresholds((row.exposure, row.rate) for row in rows)
        thresholds = Thresholds(
            medians.exposure if wanted[0] is None else wanted[0],
            medians.rate if wanted[1] is None else wanted[1],
        )
        return QuadrantFigures(
            rows=tuple(rows),
            fields=tuple(classify_quadrant(row.exposure, row.rate, thresholds) for row in rows),
            thresholds=thresholds,
            overview=overview,
            not_shown=self._reports.count_hidden(period, audiences, kinds),
        )

    def read_overview(self, period: Period) -> Overview:
        """Counts over all answers of the period."""
        return self._reports.overview(period)

    def read_unused(self, period: Period) -> list[QuadrantRow]:
        """Articles that carried nothing in the period, the most exposed first."""
        return self._reports.unused_articles(period, self._audiences())

    def read_biases(self, period: Period) -> Biases:
        """Whether something other than the articles explains the contribution."""
        return find_biases(self._biases.answer_figures(period, BIAS_ANSWERS))

    def read_gaps(self, weeks: int, today: date | None = None) -> FoundGaps:
        """What nothing answered in the calendar weeks up to this one (UTC)."""
        until = today or datetime.now(UTC).date()
        since = until - timedelta(days=until.weekday() + 7 * (weeks - 1))
        misses = self._reports.missed_articles(Period(since, until), self._audiences(), MISSES)
        return FoundGaps(since, until, self._gaps.gaps(until, weeks), tuple(misses))

    def read_gap_entries(self, number: int) -> list[GapEntry]:
        """Texts of a gap, latest first."""
        return self._gaps.entries(number)

    def find_answers(
        self, wanted: AnswerFilter, limit: int, offset: int = 0, before: datetime | None = None
    ) -> AnswerPage:
        """Latest first; the question of an answer that rests on unreadable articles is "" here."""
        return self._answer_reports.find_answers(wanted, self._audiences(), limit, offset, before)

    def read_answer_line(self, answer_id: str) -> AnswerLine | None:
        """What a list says of one answer; None if there is no such answer."""
        return self._answer_reports.get_line(answer_id, self._audiences())

    def answer_choices(self, period: Period) -> AnswerChoices:
        """Channels and languages of the answers of the period."""
        return self._answer_reports.choices(period)

    def is_evaluating(self, answer_id: str) -> bool:
        """Whether the evaluation of the answer is still to come."""
        return self._answer_reports.is_evaluating(answer_id)

    def read_trace(self, answer_id: str) -> dict[str, object] | None:
        """The audit record of the search behind an answer; None once it is gone.

        It may name articles that were only looked at, so that whoever may not read everything gets None.
        """
        whole = set(self._all_audiences()) <= set(self._audiences())
        return self._traces.get_trace(answer_id) if whole else None

    def read_answer(self, answer_id: str) -> SeenAnswer | None:
        """The answer with what may be read of it; None if there is no such answer."""
        seen = self._answers.get_answer(answer_id, self._audiences())
        whole = self._answers.get_answer(answer_id)
        if seen is None or whole is None:
            return None
        ids = {item.article_id for item in seen.evaluation.contributions}
        ids |= {exposure.article_id for exposure in seen.exposures}
        found = {article_id: self._knowledge.get_article(article_id) for article_id in ids}
        articles = {key: article for key, article in found.items() if article is not None}
        lines = [(one.article_id, one.version, one.line) for one in seen.evaluation.supports]
        known = [(article, version, line) for article, version, line in lines if line is not None]
        places = find_places(self.database, known)
        return SeenAnswer(seen, articles, protected=_sources(whole) != _sources(seen), places=places)

    def read_article_head(self, article_id: ArticleId) -> ArticleHead | None:
        """None if there is no such article or it may not be read."""
        return self._article_reports.head(article_id, self._audiences())

    def read_article(self, article_id: ArticleId, period: Period, skip: int = 0) -> SeenArticle | None:
        """One article with what it did in the period, ARTICLE_LINES lines from `skip` on.

        None if there is no such article or it may not be read.
        """
        reports, audiences = self._article_reports, self._audiences()
        head = reports.head(article_id, audiences)
        if head is None:
            return None
        key = self._figures_of(period, audiences, self._reports.overview(period))
        heat = share(
            ("heat", *key, head.id, head.version, head.removed, skip),
            lambda: reports.heat(article_id, period, audiences, (skip, ARTICLE_LINES)),
        )
        return SeenArticle(
            head=head,
            heat=heat,
            days=tuple(self._reports.article_series(article_id, period, audiences)),
            versions=tuple(reports.versions(article_id, audiences, ARTICLE_VERSIONS)),
            carried=tuple(reports.carried_answers(article_id, period, audiences, ARTICLE_ANSWERS)),
        )

    def label_counts(self) -> LabelCounts:
        return self._labels.counts()

    def next_label_pair(self, labeller: str, later: tuple[int, ...] = ()) -> LabelPair | None:
        """What this person is asked next, those put off last; None when everything is done."""
        return labels.next_pair(self._labels, labeller, self._audiences(), later)

    def save_label(self, labeller: str, item: int, value: LabelValue) -> None:
        """Raises AskerError for a pair that is gone or may not be read, RoleError for who may not label."""
        labels.save_label(self._labels, self._acting_as(labeller), item, value, self._audiences())

    def undo_label(self, labeller: str) -> int | None:
        """Take back the last label of this person; None when there is none. Raises RoleError."""
        return labels.undo(self._labels, self._acting_as(labeller))

    def disputed_labels(self) -> list[LabelRow]:
        return labels.disagreements(self._labels, self._audiences())

    def resolve_label(self, labeller: str, item: int, value: LabelValue) -> None:
        """Raises AskerError for whoever is one of the two and for a pair that is settled, or RoleError."""
        labels.resolve(self._labels, self._acting_as(labeller), item, value, self._audiences())

    def label_agreement(self) -> list[Agreement]:
        return labels.agreement(self._labels)

    def _acting_as(self, name: str) -> Acting:
        """Labels bear the name that was given, as long as nobody signs in."""
        if self.signed_in:
            return self.acting
        return Acting(replace(self.person, name=name.strip()), self.acting.log)

    def _figures_of(
        self, period: Period, audiences: list[AudienceId], overview: Overview
    ) -> tuple[str | int | date | tuple[int, ...], ...]:
        """What figures depend on. The counts change with every answer and evaluation, the revision with every
        change of an article or of its readers, so that kept figures neither lack an answer nor tell of an
        article that may no longer be read."""
        counts = (self.revision(), overview.answers, overview.judged, overview.carried)
        return (str(self.database.engine.url), tuple(audiences), period.first, period.last, counts)

    def _audiences(self) -> list[AudienceId]:
        return self._knowledge.readable_audiences(self._principal)

    def _all_audiences(self) -> list[AudienceId]:
        groups = {group for source in self._knowledge.sources() for group in source.readers}
        return self._knowledge.readable_audiences(Principal("everyone", frozenset({PUBLIC, *groups})))


def find_viewer(token: str) -> Viewer | None:
    """The configured database as the person of this session sees it; None for nobody's session.

    As long as nobody has an account, it is seen by who started this. Raises KiyoError when the database
    cannot be used.
    """
    settings = load_settings()
    database = _open_database(settings.database_url)
    people = SqlPeopleStore(database)
    account = find_session(people, token)
    if account is None:
        return open_viewer() if needs_no_account(settings, people) else None
    person = account.person
    principal = Principal(account.login, frozenset({PUBLIC, *account.groups}))
    return Viewer(database, principal, person.role, person.also, signed_in=True)


def open_viewer() -> Viewer:
    """The configured database, seen by who started this. Raises KiyoError when it cannot be used."""
    named = os.environ.get(GROUPS_VARIABLE, "").split(",")
    groups = frozenset({PUBLIC, *(group.strip() for group in named if group.strip())})
    return Viewer(
        _open_database(load_settings().database_url),
        Principal("dashboard", groups),
        role_without_sign_in(st.get_option("server.address")),
    )


def role_without_sign_in(address: str | None) -> Role:
    """A maintainer where only this machine can reach the server, else a viewer.

    address: what the server listens on; None is every address.
    """
    return "maintainer" if is_loopback(address or "") else "viewer"


def choose_period(choice: str, today: date | None = None) -> Period:
    """The days of a choice of PERIODS up to today (UTC), or all time."""
    if choice not in PERIODS:
        return EVERYTHING
    last = today or datetime.now(UTC).date()
    return Period(last - timedelta(days=PERIODS[choice] - 1), last)


@st.cache_resource(show_spinner=False, on_release=lambda opened: opened.close())
def _open_database(url: str) -> Database:
    return open_database(url)


def _sources(answer: Answer) -> set[ArticleId]:
    """Articles that stood in its prompt or carried it."""
    shown = {exposure.article_id for exposure in answer.exposures if exposure.in_prompt}
    return shown | {item.article_id for item in answer.evaluation.contributions if item.statements}
