"""The independent check: how probable it is that a line supports a statement. No language model is asked."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from core.contribution.features import FEATURES, Features

DEFAULT_MODEL = "kiyo-support-1"

_VETO_SLOPE = 0.1
"""How much of the order among vetoed pairs is kept."""

_EXCHANGED = 0.6
"""Value of `exchange` from which a pair is contradicted."""


@dataclass(frozen=True, slots=True)
class PairVectors:
    """Vectors of one model: statements (n, d) by ordinal, lines (m, d); a row of zeros has no cosine."""

    statements: NDArray[np.float32]
    lines: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Calibration:
    """From a model's log odds to a probability.

    slope, offset: p = 1 / (1 + exp(-(slope * x + offset))) as in Platt (1999).
    knots: pairs (log odds, probability), both rising, joined by straight lines; if any, they replace it.
    """

    slope: float = 1.0
    offset: float = 0.0
    knots: tuple[tuple[float, float], ...] = ()

    def apply(self, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of any shape, in order."""
        if self.knots:
            x, y = np.array(self.knots).T
            curve: NDArray[np.float64] = np.interp(log_odds, x, y)
            return curve
        return sigmoid(self.slope * log_odds + self.offset)


@dataclass(frozen=True, slots=True)
class SupportModel:
    """Monotone logistic model; every coefficient is data with a version.

    weights: by name of the feature, in log odds. veto: log odds above which no contradicted pair comes, save
    a tenth of the excess. opposed: value of negation or antonym from which a pair is contradicted; one whose
    numbers conflict always is.
    cosine_base, cosine_slope: stand-in for a missing cosine, base + slope * window.
    threshold: probability from which the check says yes. rival_odds: an article is credited only if its
    odds times this reach those of the best article for the statement. attribution_threshold: the same as
    threshold where it is known that a statement was written from one of the passages, and only the question
    which one is open; lower, because then chance resemblance is rare. Verdicts never use it.
    """

    version: str
    intercept: float
    weights: Mapping[str, float]
    veto: float
    opposed: float
    cosine_base: float
    cosine_slope: float
    calibration: Calibration
    threshold: float
    attribution_threshold: float
    rival_odds: float
    origin: Mapping[str, object] = field(default_factory=dict)

    def log_odds(self, features: Features) -> NDArray[np.float64]:
        """Score rows of FEATURES, (n, len(FEATURES)), before calibration."""
        filled = self._fill(features)
        scores = self.intercept + filled @ np.array([self.weights.get(name, 0.0) for name in FEATURES])
        vetoed = self.veto + _VETO_SLOPE * (scores - self.veto)
        final: NDArray[np.float64] = np.where(
            self.contradicted(features) & (scores > self.veto), vetoed, scores
        )
        return final

    def contradicted(self, features: Features) -> NDArray[np.bool_]:
        """Which rows of FEATURES contradict their line: a number differs, one side denies, an antonym stands
        there, or two words changed places."""
        limits = {
            "quantity_conflict": 0.01,
            "negation": self.opposed,
            "antonym": self.opposed,
            "exchange": _EXCHANGED,
        }
        reached = [features[:, FEATURES.index(name)] >= limit for name, limit in limits.items()]
        found: NDArray[np.bool_] = np.logical_or.reduce(reached)
        return found

    def probabilities(self, features: Features) -> NDArray[np.float64]:
        """Calibrated probability of each row of FEATURES, (n, len(FEATURES))."""
        return self.calibration.apply(self.log_odds(features))

    def explain(self, features: Mapping[str, float]) -> dict[str, float]:
        """How much each feature adds to the log odds; under "veto" what a conflict of numbers takes away.

        features: by name; absent ones count as 0, a cosine that is absent or NaN is filled in.
        The values and the intercept add up to the log odds.
        """
        row = as_row(features)
        filled = self._fill(row)[0]
        parts = {
            name: self.weights.get(name, 0.0) * float(value)
            for name, value in zip(FEATURES, filled, strict=True)
        }
        parts["veto"] = float(self.log_odds(row)[0]) - self.intercept - sum(parts.values())
        return parts

    def _fill(self, features: Features) -> Features:
        cosine, window = FEATURES.index("cosine"), FEATURES.index("window")
        missing = np.isnan(features[:, cosine])
        if not missing.any():
            return features
        filled = features.copy()
        filled[missing, cosine] = self.cosine_base + self.cosine_slope * filled[missing, window]
        return filled


def sigmoid(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-x)) without overflow."""
    probabilities: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -log_odds))
    return probabilities


def as_row(features: Mapping[str, float]) -> Features:
    """Put stored features in the order of FEATURES, (1, len(FEATURES)); an absent cosine is NaN, others 0."""
    return np.array([[features.get(name, math.nan if name == "cosine" else 0.0) for name in FEATURES]])


def check_pairs(
    statements: Sequence[int] | NDArray[np.int64],
    probabilities: NDArray[np.float64],
    threshold: float,
    rival_odds: float,
) -> NDArray[np.bool_]:
    """Decide for each pair of a statement and an article whether the check says yes.

    statements: any number that tells the statements apart, one a pair. A pair passes if its probability is at
    least the threshold and its odds times rival_odds reach those of its statement's best pair. Order does not
    matter. Works on stored probabilities, a million at a time.
    """
    _, group = np.unique(np.asarray(statements), return_inverse=True)
    clipped = np.clip(probabilities, 1e-12, 1 - 1e-12)
    log_odds = np.log(clipped) - np.log1p(-clipped)
    best = np.full(group.max(initial=-1) + 1, -np.inf)
    np.maximum.at(best, group, log_odds)
    near = log_odds + math.log(rival_odds) >= best[group] - 1e-9
    passed: NDArray[np.bool_] = (probabilities >= threshold) & near
    return passed


@cache
def load_model(name: str = DEFAULT_MODEL) -> SupportModel:
    """Load shipped coefficients by name."""
    path = resources.files("core.contribution") / "coefficients" / f"{name}.json"
    return parse_model(path.read_text(encoding="utf-8"))


def parse_model(text: str) -> SupportModel:
    """Read coefficients from JSON. Raises ValueError saying what is wrong with them."""
    try:
        data = json.loads(text)
        calibration = data["calibration"]
        model = SupportModel(
            version=str(data["version"]),
            intercept=float(data["intercept"]),
            weights={str(name): float(weight) for name, weight in data["weights"].items()},
            veto=float(data["veto"]),
            opposed=float(data["opposed"]),
            cosine_base=float(data["cosine_base"]),
            cosine_slope=float(data["cosine_slope"]),
            calibration=Calibration(
                float(calibration["slope"]),
                float(calibration["offset"]),
                tuple((float(x), float(y)) for x, y in calibration.get("knots", ())),
            ),
            threshold=float(data["threshold"]),
            attribution_threshold=float(data["attribution_threshold"]),
            rival_odds=float(data["rival_odds"]),
            origin=dict(data.get("origin", {})),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"these are no coefficients of the support model: {error!r}") from error
    unknown = sorted(model.weights.keys() - set(FEATURES))
    if unknown:
        raise ValueError(f"these coefficients name unknown features: {', '.join(unknown)}")
    return model


def format_model(model: SupportModel) -> str:
    """Write coefficients as JSON that parse_model reads back to an equal model."""
    data = {
        "version": model.version,
        "intercept": model.intercept,
        "weights": dict(model.weights),
        "veto": model.veto,
        "opposed": model.opposed,
        "cosine_base": model.cosine_base,
        "cosine_slope": model.cosine_slope,
        "calibration": {
            "slope": model.calibration.slope,
            "offset": model.calibration.offset,
            "knots": [list(knot) for knot in model.calibration.knots],
        },
        "threshold": model.threshold,
        "attribution_threshold": model.attribution_threshold,
        "rival_odds": model.rival_odds,
        "origin": dict(model.origin),
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
