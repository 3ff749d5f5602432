"""Recorded answers with features of their own, and people who label them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np

from core.contribution.features import FEATURES
from core.contribution.measure import decide_verdict, sum_contributions
from core.contribution.support import SupportModel, as_row, load_model, sigmoid
from core.domain import Answer, Support
from core.storage.answers import SqlAnswerStore
from core.storage.engine import Database
from core.storage.labels import SqlLabelStore
from tests.samples import answer_with

SUPPORTING = ("window", "line", "clause", "pieces", "cosine")


def labelled_answer(number: int, at: datetime, model: SupportModel, *, least: float = 0.0) -> Answer:
    """Three statements, each with one pair of random features that `model` decides; half are cited.

    least: features that speak for support are at least that high.
    """
    chance = np.random.default_rng(number)
    supports = []
    for statement in range(3):
        values = dict.fromkeys(FEATURES, 0.0)
        values |= {name: least + (1 - least) * float(chance.beta(1.2, 1.2)) for name in SUPPORTING}
        probability = float(model.probabilities(as_row(values))[0])
        label, checked = bool(chance.random() < 0.5), probability >= model.threshold
        supports.append(
            Support(
                statement=statement,
                article_id=f"docs:{statement}.md",
                version="v1",
                line=statement,
                line_text=f"Line {statement}.",
                label=label,
                probability=probability,
                verdict=decide_verdict(label, checked),
                features=values,
            )
        )
    blank = answer_with(f"x{number}", [], statements=3, at=at)
    exposed = {support.article_id: "v1" for support in supports}
    return replace(
        blank,
        evaluation=replace(
            blank.evaluation,
            verdicts=tuple(support.verdict for support in supports),
            supports=tuple(supports),
            contributions=sum_contributions(supports, 3, exposed),
            evaluator=model.version,
        ),
    )


def record_week(
    database: Database, monday: datetime, count: int, *, first: int = 0, least: float = 0.0
) -> list[Answer]:
    store, model = SqlAnswerStore(database), load_model()
    answers = [
        labelled_answer(first + n, monday + timedelta(hours=n % 100), model, least=least)
        for n in range(count)
    ]
    for answer in answers:
        store.record_answer(answer)
    return answers


def label_answers(database: Database, answers: list[Answer], *, shift: float = 1.5) -> None:
    """One person labels every pair: fewer are supported than the model thinks, by `shift` in log odds."""
    store, model, chance = SqlLabelStore(database), load_model(), np.random.default_rng(7)
    for answer in answers:
        for support in answer.evaluation.supports:
            item = store.find_item(answer.id, support.article_id, support.statement)
            assert item is not None
            log_odds = model.log_odds(as_row(support.features)) + model.calibration.offset - shift
            supported = bool(chance.random() < sigmoid(log_odds)[0])
            store.save("ana", item, "supported" if supported else "unsupported")
