"""Question sets of the retrieval lab: who may write and run them, and the work that a run asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from core.domain import Principal
from core.errors import AskerError
from core.lab_requests import LabQuestion, LabRequest, LabSettings, lab_payload
from core.ports import JobStore
from core.usecases.people import Person, require

NAME_CHARS = 100


class LabStore(Protocol):
    """Keeps sets and runs."""

    def save_set(self, name: str, questions: Sequence[LabQuestion], person: str) -> int: ...

    def remove_set(self, key: int) -> None: ...

    def add_run(self, lab_set: int, job: int, settings: Mapping[str, Any], person: str) -> int: ...


def ask_lab(
    jobs: JobStore, person: Person, principal: Principal, question: str, settings: LabSettings
) -> int:
    """Ask for one question in detail; returns the job. principal: among whose articles is searched.

    Raises RoleError, or AskerError for a question that cannot be asked.
    """
    require(person, "maintainer")
    request = LabRequest((LabQuestion(question),), principal, settings, detailed=True)
    return jobs.enqueue("lab", lab_payload(request), person.name)


def save_set(store: LabStore, person: Person, name: str, questions: Sequence[LabQuestion]) -> int:
    """Keep a set under its name, in place of what it had. Raises RoleError, AskerError for a bad name."""
    require(person, "maintainer")
    if not name.strip() or len(name) > NAME_CHARS:
        raise AskerError(f"A set needs a name of at most {NAME_CHARS} characters.")
    if not questions:
        raise AskerError("A set needs at least one question.")
    return store.save_set(name.strip(), questions, person.name)


def remove_set(store: LabStore, person: Person, key: int) -> None:
    """Remove a set with its runs. Raises RoleError."""
    require(person, "maintainer")
    store.remove_set(key)


def run_set(store: LabStore, jobs: JobStore, person: Person, lab_set: int, request: LabRequest) -> int:
    """Ask for all questions of a set; the run's figures come with its job. Raises RoleError, AskerError."""
    require(person, "maintainer")
    job = jobs.enqueue("lab", lab_payload(request), person.name)
    return store.add_run(lab_set, job, request.settings.changed, person.name)
