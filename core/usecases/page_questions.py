"""Questions that are asked on a page, as oneself or in place of somebody else."""

from __future__ import annotations

from collections.abc import Sequence

from core.domain import Principal
from core.errors import AskerError
from core.job_requests import ask_job
from core.ports import JobStore, Turn
from core.usecases.audit import Acting

CHANNEL = "dashboard"
QUESTION_CHARS = 4_000


def ask_on_page(
    jobs: JobStore, acting: Acting, own: Principal, asked: Principal, turns: Sequence[Turn]
) -> int:
    """Leave the last turn's question to the process that holds the indexes; returns the job.

    own: the principal of whoever acts. asked: the one among whose articles the answer is looked for; anybody
    else than oneself needs the role maintainer, and is noted. turns: the conversation, oldest first.
    Raises RoleError, or AskerError for a question that cannot be asked.
    """
    question = turns[-1].text.strip() if turns else ""
    if not any(character.isalnum() for character in question) or len(question) > QUESTION_CHARS:
        raise AskerError(f"A question has between 1 and {QUESTION_CHARS} characters.")
    with acting.changing() as note:
        if asked != own:
            acting.require("maintainer")
            note("ask.as", "person", asked.id, groups=sorted(asked.groups))
        return jobs.enqueue("ask", ask_job(question, asked, CHANNEL, turns[:-1]), acting.person.name)
