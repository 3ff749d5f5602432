"""What an answer must reach in this place, and what happens to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from core.config import Settings
from core.domain import GateDecision
from core.messages import Place
from core.rag.gate import GateThresholds
from core.sections.gate import GatePlaceSettings, Uncertain
from core.usecases.conversation.places import names_of

Leaving = Literal["send", "caution", "hand_over"]


def thresholds_for(settings: Settings, place: Place, labels: Sequence[str] = ()) -> GateThresholds:
    """[gate] with what the place and the labels of the question set otherwise."""
    gate = settings.gate
    chosen = {
        name: getattr(gate, name) for name in ("send", "caution", "send_relevance", "caution_relevance")
    }
    for other in _overrides(settings, place, labels):
        chosen |= {name: value for name in chosen if (value := getattr(other, name)) is not None}
    return GateThresholds(**chosen)


def decide_leaving(
    settings: Settings, gate: GateDecision, place: Place, labels: Sequence[str] = ()
) -> Leaving:
    """Whether an answer leaves as it is, with a caution, or only after a person looked."""
    if gate == "send":
        return "send"
    if gate != "caution":
        return "hand_over"
    policy: Uncertain = settings.gate.on_caution
    for other in _overrides(settings, place, labels):
        policy = other.on_caution or policy
    return "caution" if policy == "send" else "hand_over"


def _overrides(settings: Settings, place: Place, labels: Sequence[str]) -> list[GatePlaceSettings]:
    """The widest first, so that the narrowest has the last word; labels are narrower than places."""
    names = [*reversed(names_of(place)), *(f"label:{label}" for label in labels)]
    return [settings.gate.places[name] for name in names if name in settings.gate.places]
