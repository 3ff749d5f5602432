"""Which coefficients the support measure uses: those published here, else the ones that Kiyo ships."""

from __future__ import annotations

import asyncio
import logging
from functools import lru_cache

from core.contribution.decisions import name_evaluator
from core.contribution.support import SupportModel, load_model, parse_model
from core.ports import CalibrationStore, Services

_log = logging.getLogger(__name__)


async def current_model(services: Services) -> SupportModel:
    """Read at every evaluation, so that what is published or withdrawn counts from the next answer on."""
    return await asyncio.to_thread(published_model, services.calibrations)


def published_model(calibrations: CalibrationStore | None) -> SupportModel:
    """Coefficients that cannot be read (made by another version of Kiyo) are logged and passed over."""
    text = calibrations.published() if calibrations is not None else None
    if text is None:
        return load_model()
    try:
        return _parse(text)
    except ValueError as error:
        _log.error("the published calibration is not used: %s", error)
        return load_model()


def evaluator_of(services: Services, model: SupportModel) -> str:
    """The evaluator version that is recorded with what these coefficients decide."""
    threshold = services.settings.evaluation.threshold
    parts = []
    if services.verifier is not None:
        parts.append(f"verifier:{services.verifier.id}")
    if services.judge is not None:
        parts.append(f"judge:{services.judge.id}")
    other = threshold if threshold is not None and threshold != model.threshold else None
    return name_evaluator(model.version, other, "+".join(parts))


@lru_cache(maxsize=8)
def _parse(text: str) -> SupportModel:
    return parse_model(text)
