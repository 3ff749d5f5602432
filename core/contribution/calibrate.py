"""Fit the support measure to what people said: its weights, its calibration, its threshold. Deterministic."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import FEATURES, Features
from core.contribution.metrics import choose_for_balance, choose_for_precision
from core.contribution.support import Calibration, SupportModel, sigmoid

LEAST_LABELS = 100
LEAST_OF_EACH = 15
"""Labels below which a calibration is refused: in all, and of the rarer verdict."""

_POSITIVE = frozenset({"window", "line", "clause", "pieces", "cosine"})
_SIGNS = np.array([1 if name in _POSITIVE else -1 for name in FEATURES])
_ROUNDS = 4
_NEWTON_STEPS = 60
_TOTAL_WEIGHT = 100.0
"""All examples together weigh this much, so that the ridge means the same for any number of them."""


class TooFewLabelsError(ValueError):
    """There are too few labels to calibrate on; the text says how many are missing."""


@dataclass(frozen=True, slots=True)
class Example:
    """A statement and an article that people judged.

    rows: FEATURES of the article's candidate lines, (n, len(FEATURES)), n >= 1. group: examples that share a
    source or question. set_name: the collection it comes from.
    """

    rows: Features
    supported: bool
    group: Hashable
    set_name: str


@dataclass(frozen=True, slots=True)
class FitOptions:
    """ridge: pull towards 0 of a weight per standard deviation. set_weights: how much a set counts, else 1.

    veto, opposed, and in log odds before calibration threshold, attribution, rivals: see SupportModel. The
    threshold becomes the probability 0.5. looked_up: weight of that feature, which no labels can tell.
    """

    ridge: float = 2.0
    set_weights: Mapping[str, float] | None = None
    veto: float = -2.0
    opposed: float = 0.7
    threshold: float = 0.0
    attribution: float = -0.8
    rivals: float = 0.6
    looked_up: float = -1.0


def fit_model(version: str, examples: Sequence[Example], options: FitOptions | None = None) -> SupportModel:
    """Fit weights to examples of several sets; the best line of an article is found by the model itself.

    Each set counts by the root of its size, its two verdicts equally. Weights keep their sign: what speaks
    for support never counts against it. Fitting alternates between choosing each article's best line and a
    logistic regression on the chosen lines. Raises ValueError without examples of both verdicts.
    """
    chosen = options if options is not None else FitOptions()
    labels = np.array([example.supported for example in examples])
    if labels.all() or not labels.any():
        raise ValueError("fitting needs examples of both verdicts")
    base, slope = _cosine_stand_in(examples)
    rows = [_fill_cosine(example.rows, base, slope) for example in examples]
    example_weights = _balance(examples, labels, chosen.set_weights or {})
    lines = np.array([_first_guess(row) for row in rows])
    weights, intercept = np.zeros(len(FEATURES)), 0.0
    scale: NDArray[np.float64] | None = None
    for _ in range(_ROUNDS):
        design = np.array([row[line] for row, line in zip(rows, lines, strict=True)])
        if scale is None:
            mean = np.average(design, axis=0, weights=example_weights)
            spread = np.average((design - mean) ** 2, axis=0, weights=example_weights)
            scale = np.sqrt(spread) + 1e-3
        scaled, intercept = fit_logistic(
            design / scale, labels.astype(np.float64), example_weights, _SIGNS, chosen.ridge
        )
        weights = scaled / scale
        lines = np.array([int(np.argmax(row @ weights)) for row in rows])
    return SupportModel(
        version=version,
        intercept=intercept,
        weights={
            **dict(zip(FEATURES, (float(weight) for weight in weights), strict=True)),
            "looked_up": chosen.looked_up,
        },
        veto=chosen.veto,
        opposed=chosen.opposed,
        cosine_base=base,
        cosine_slope=slope,
        calibration=Calibration(offset=-chosen.threshold),
        threshold=0.5,
        attribution_threshold=_probability(chosen.attribution - chosen.threshold),
        rival_odds=float(np.exp(chosen.rivals)),
    )


def fit_logistic(
    design: Features,
    labels: NDArray[np.float64],
    weights: NDArray[np.float64],
    signs: NDArray[np.int64],
    ridge: float,
) -> tuple[NDArray[np.float64], float]:
    """Weighted ridge logistic regression by Newton's method; a weight of the wrong sign is held at 0.

    design: (n, d). labels: 0 or 1. signs: (d,), 1 or -1, 0 for any. Returns weights (d,) and intercept.
    """
    count, width = design.shape
    full = np.hstack([design, np.ones((count, 1))])
    penalty = np.append(np.full(width, ridge), 1e-6)
    solution = np.zeros(width + 1)
    active = np.ones(width + 1, dtype=bool)
    while True:
        solution = _newton(full[:, active], labels, weights, penalty[active], solution, active)
        wrong = np.where(active[:width], np.minimum(solution[:width] * signs, 0.0), 0.0)
        if wrong.min(initial=0.0) > -1e-12:
            return solution[:width], float(solution[width])
        worst = int(np.argmin(wrong))
        active[worst] = False
        solution[worst] = 0.0


def _newton(
    design: Features,
    labels: NDArray[np.float64],
    weights: NDArray[np.float64],
    penalty: NDArray[np.float64],
    start: NDArray[np.float64],
    active: NDArray[np.bool_],
) -> NDArray[np.float64]:
    solution = start.copy()
    part = solution[active]
    for _ in range(_NEWTON_STEPS):
        said = sigmoid(design @ part)
        gradient = design.T @ (weights * (said - labels)) + penalty * part
        curvature = (design.T * (weights * said * (1 - said))) @ design + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        # A long step on separable data overshoots; the ridge keeps the optimum finite.
        step *= min(1.0, 5.0 / max(1e-12, float(np.abs(step).max())))
        part = part - step
        if np.abs(step).max() < 1e-8:
            break
    solution[active] = part
    return solution


def recalibrate(
    model: SupportModel, features: Features, labels: NDArray[np.bool_], wanted_precision: float | None = None
) -> SupportModel:
    """Adjust calibration and threshold to labelled pairs; weights stay as they are.

    features: FEATURES of the best line, (n, len(FEATURES)). The calibration is a line in log odds with
    smoothed targets (Platt 1999). The threshold is the one of highest balanced accuracy, or the lowest that
    reaches the wanted precision. Raises TooFewLabelsError saying what is missing, or ValueError if no
    threshold reaches the wanted precision.
    """
    require_labels(labels)
    log_odds = model.log_odds(features)
    calibration = fit_platt(log_odds, labels)
    probabilities = calibration.apply(log_odds)
    if wanted_precision is None:
        decision = choose_for_balance(labels, probabilities)
    else:
        decision = choose_for_precision(labels, probabilities, wanted_precision)
    if decision is None:
        raise ValueError(f"no threshold reaches a precision of {wanted_precision:.2f} on these labels")
    lower = _log_odds(model.attribution_threshold) - _log_odds(model.threshold)
    slope = calibration.slope / model.calibration.slope if not model.calibration.knots else calibration.slope
    return replace(
        model,
        calibration=calibration,
        threshold=decision.threshold,
        attribution_threshold=_probability(_log_odds(decision.threshold) + lower * slope),
        rival_odds=float(model.rival_odds**slope),
    )


@dataclass(frozen=True, slots=True)
class MissingLabels:
    """How many labels a calibration lacks: in all, and of each verdict; 0 where there are enough."""

    labels: int
    supported: int
    unsupported: int

    def __bool__(self) -> bool:
        return bool(self.labels or self.supported or self.unsupported)


def count_missing(labels: NDArray[np.bool_]) -> MissingLabels:
    """labels: (n,) supported or not."""
    supported = int(labels.sum())
    return MissingLabels(
        labels=max(0, LEAST_LABELS - len(labels)),
        supported=max(0, LEAST_OF_EACH - supported),
        unsupported=max(0, LEAST_OF_EACH - (len(labels) - supported)),
    )


def require_labels(labels: NDArray[np.bool_]) -> None:
    """Raise TooFewLabelsError, saying how many labels of which verdict are missing."""
    found = count_missing(labels)
    missing = [f"{found.labels} more labels"] if found.labels else []
    missing += [f"{found.supported} more of verdict supported"] if found.supported else []
    missing += [f"{found.unsupported} more of verdict unsupported"] if found.unsupported else []
    if missing:
        raise TooFewLabelsError(
            f"{len(labels)} labels are too few to calibrate on: {', '.join(missing)} needed"
        )


def fit_platt(log_odds: NDArray[np.float64], labels: NDArray[np.bool_]) -> Calibration:
    """Fit p = 1 / (1 + exp(-(slope * x + offset))) to smoothed targets (Platt 1999); slope >= 0.05."""
    supported = int(labels.sum())
    unsupported = len(labels) - supported
    targets = np.where(labels, (supported + 1) / (supported + 2), 1 / (unsupported + 2))
    weights = np.ones(len(labels))
    slope, offset = fit_logistic(log_odds.reshape(-1, 1), targets, weights, np.array([1]), 1e-3)
    if slope[0] < 0.05:
        return Calibration(
            0.05, float(np.log(targets.mean() / (1 - targets.mean())) - 0.05 * log_odds.mean())
        )
    return Calibration(float(slope[0]), offset)


def fit_isotonic(log_odds: NDArray[np.float64], labels: NDArray[np.bool_]) -> Calibration:
    """Fit a rising step function by pooling adjacent violators, joined by lines (Zadrozny and Elkan 2002).

    For many labels (a thousand or more); with few, use fit_platt.
    """
    order = np.argsort(log_odds, kind="stable")
    blocks: list[list[float]] = []
    for x, y in zip(log_odds[order], labels[order].astype(float), strict=True):
        blocks.append([y, 1.0, float(x), float(x)])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, count, _, high = blocks.pop()
            previous = blocks[-1]
            total = previous[1] + count
            blocks[-1] = [(previous[0] * previous[1] + value * count) / total, total, previous[2], high]
    knots = [((low + high) / 2, min(0.999, max(0.001, value))) for value, _, low, high in blocks]
    return Calibration(knots=tuple(knots))


def _log_odds(probability: float) -> float:
    clipped = min(1 - 1e-9, max(1e-9, probability))
    return float(np.log(clipped / (1 - clipped)))


def _probability(log_odds: float) -> float:
    return float(sigmoid(np.array([log_odds]))[0])


def _first_guess(rows: Features) -> int:
    window, line, cosine = (FEATURES.index(name) for name in ("window", "line", "cosine"))
    return int(np.argmax(0.5 * rows[:, window] + 0.3 * rows[:, line] + 0.2 * rows[:, cosine]))


def _cosine_stand_in(examples: Sequence[Example]) -> tuple[float, float]:
    """Fit cosine = base + slope * window by least squares over all lines that have one."""
    cosine, window = FEATURES.index("cosine"), FEATURES.index("window")
    rows = np.vstack([example.rows for example in examples])
    known = rows[~np.isnan(rows[:, cosine])]
    if len(known) < 2 or known[:, window].std() < 1e-9:
        return 0.5, 0.0
    slope, base = np.polyfit(known[:, window], known[:, cosine], 1)
    return float(base), float(slope)


def _fill_cosine(rows: Features, base: float, slope: float) -> Features:
    cosine, window = FEATURES.index("cosine"), FEATURES.index("window")
    filled = rows.copy()
    missing = np.isnan(filled[:, cosine])
    filled[missing, cosine] = base + slope * filled[missing, window]
    return filled


def _balance(
    examples: Sequence[Example], labels: NDArray[np.bool_], set_weights: Mapping[str, float]
) -> NDArray[np.float64]:
    names = np.array([example.set_name for example in examples])
    weights = np.zeros(len(examples))
    for name in np.unique(names):
        inside = names == name
        share = np.sqrt(inside.sum()) * set_weights.get(str(name), 1.0) / 2
        for verdict in (True, False):
            members = inside & (labels == verdict)
            if members.any():
                weights[members] = share / members.sum()
    weights *= _TOTAL_WEIGHT / weights.sum()
    return weights
