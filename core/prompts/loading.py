"""Find and read the wording of a task. What is done with the model's output is decided elsewhere."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template


@dataclass(frozen=True, slots=True)
class Prompt:
    """One wording. `id` is task/family@version and is recorded with what the model wrote."""

    id: str
    system: Template
    user: Template
    words: dict[str, str]
    languages: dict[str, str]


@cache
def load_prompt(task: str, model: str = "") -> Prompt:
    """The wording of `task` for the family of `model` ("openai/gpt-5" is family "openai").

    Falls back to `default`. Raises FileNotFoundError for an unknown task.
    """
    folder = files("core.prompts") / task
    family = model.partition("/")[0] or "default"
    path = folder / f"{family}.toml"
    if not path.is_file():
        family, path = "default", folder / "default.toml"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return Prompt(
        id=f"{task}/{family}@{content['version']}",
        system=Template(content["system"].strip()),
        user=Template(content["user"].strip()),
        words={k: v for k, v in content.items() if isinstance(v, str) and k not in ("system", "user")},
        languages=content.get("languages", {}),
    )


@cache
def load_words(task: str, table: str) -> dict[str, str]:
    """A table of fixed sentences of a task, by language. Raises KeyError if it has no such table."""
    content = tomllib.loads((files("core.prompts") / task / "default.toml").read_text(encoding="utf-8"))
    words = content[table]
    return {str(key): str(value) for key, value in words.items()}
