"""A language model that looks over an answer beside its sources; the wording is left to the prompts."""

from __future__ import annotations

from core.errors import ProviderOutputError
from core.ports import GateOpinion, GateReviewRequest
from core.prompts.loading import load_prompt
from core.providers.litellm_client import LitellmClient
from core.rag.gate_review import build_review_messages, read_review


class LitellmGateReviewer:
    """Implements GateReviewer."""

    def __init__(self, client: LitellmClient) -> None:
        self._client = client

    @property
    def id(self) -> str:
        model = self._client.service.model
        return f"{model}:{load_prompt('review', model).id}"

    async def review(self, request: GateReviewRequest) -> GateOpinion:
        model = self._client.service.model
        completion = await self._client.complete(build_review_messages(request, model))
        said = read_review(completion.text)
        if said is None:
            raise ProviderOutputError(f"{model} gave no verdict on an answer")
        return GateOpinion(said[0], said[1], completion.usage)
