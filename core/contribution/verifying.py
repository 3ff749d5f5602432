"""A verifier's probability moves the independent check within bounds: it never replaces it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

VERIFIED = "verifier"
"""Name under which a verifier's probability is kept beside the features of a pair."""

_FARTHEST = 4.0
"""Log odds beyond which a verifier's certainty counts no more."""

Floats = NDArray[np.float64]


def shift_probabilities(
    probabilities: Floats, verified: Floats, vetoed: NDArray[np.bool_], weight: float
) -> Floats:
    """Add weight * log odds of the verifier, at most 4 either way, to the log odds of the check.

    With the largest weight, 0.5, the verifier moves a probability of 0.5 to no more than 0.88 and no less
    than 0.12. vetoed: pairs that contradict each other, which a verifier may lower and never raise.
    verified: NaN where the verifier said nothing, so that the check stands alone.
    """
    shift = weight * np.clip(_log_odds(verified), -_FARTHEST, _FARTHEST)
    shift = np.where(np.isfinite(verified), shift, 0.0)
    shift = np.where(vetoed, np.minimum(shift, 0.0), shift)
    moved: Floats = np.where(
        shift == 0.0, probabilities, 1.0 / (1.0 + np.exp(-(_log_odds(probabilities) + shift)))
    )
    return moved


def _log_odds(probabilities: Floats) -> Floats:
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(clipped) - np.log1p(-clipped)
    return odds
