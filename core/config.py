"""Settings from `kiyo.toml` and the environment; an unknown key or a wrong type stops the start.

The environment beats the file down to one nested key: KIYO_RAG__MAX_RESULTS=5 is [rag] max_results.
"${NAME}" in a string of the file is read from the environment; secrets may not stand in the file.
The classes in `core.sections` are the settings page of the documentation: a field's description is its text.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field, SecretStr, ValidationError, model_validator

from core.errors import SettingsError
from core.sections.access import AccessSettings, PrivacySettings
from core.sections.base import Section
from core.sections.channels import ChannelsSettings
from core.sections.dashboard import DashboardSettings
from core.sections.evaluation import EvaluationSettings
from core.sections.gate import GateSettings
from core.sections.limits import LimitsSettings
from core.sections.llm import LlmSettings
from core.sections.memory import IngestSettings, MemorySettings, SourceSettings, StorageSettings
from core.sections.rag import RagSettings
from core.sections.reviews import ReviewsSettings

ENV_PREFIX = "KIYO_"
ENV_DELIMITER = "__"
CONFIG_FILE = "kiyo.toml"
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_KEYS = ("api_key", "token", "secret", "password", "signing_secret")
_MASK = "********"


class Settings(Section):
    """Everything that can be set."""

    memory: MemorySettings = MemorySettings()
    rag: RagSettings = RagSettings()
    llm: LlmSettings = LlmSettings()
    storage: StorageSettings = StorageSettings()
    ingest: IngestSettings = IngestSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    access: AccessSettings = AccessSettings()
    sources: dict[str, SourceSettings] = Field(default_factory=dict)
    privacy: PrivacySettings = PrivacySettings()
    channels: ChannelsSettings = ChannelsSettings()
    gate: GateSettings = GateSettings()
    reviews: ReviewsSettings = ReviewsSettings()
    limits: LimitsSettings = LimitsSettings()
    dashboard: DashboardSettings = DashboardSettings()

    @model_validator(mode="after")
    def _witnesses_are_two(self) -> Settings:
        first = self.evaluation.judge or self.llm.model
        if self.evaluation.verifier == "llm" and self.evaluation.verifier_model == first:
            raise ValueError(
                f"evaluation.verifier_model: {first} is the first witness already; one model is never both"
            )
        return self

    @property
    def folder(self) -> Path:
        """Where everything lives that can be rebuilt, and the default database."""
        return Path(self.storage.folder)

    @property
    def database_url(self) -> str:
        return self.storage.url or f"sqlite:///{self.folder / 'kiyo.db'}"


def load_settings(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the file (default `kiyo.toml`, may be absent; KIYO_CONFIG names another) and the environment.

    Raises SettingsError with the dotted name, what was expected and the nearest valid key.
    """
    env = os.environ if environ is None else environ
    named = path or (Path(env["KIYO_CONFIG"]) if env.get("KIYO_CONFIG") else None)
    values = _read_file(named or Path(CONFIG_FILE), required=named is not None)
    _refuse_literal_secrets(values, "")
    values = _resolve_references(values, env, "")
    _overlay_environment(values, env)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError("\n".join(_explain(item) for item in error.errors())) from None


def describe_settings(settings: Settings) -> dict[str, Any]:
    """The effective settings as nested plain values, secrets masked."""
    dumped = settings.model_dump(mode="json")
    masked = _mask_secrets(dumped)
    assert isinstance(masked, dict)
    return masked


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if required:
            raise SettingsError(f"The settings file {path} does not exist.") from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    except IsADirectoryError:
        raise SettingsError(f"The settings file {path} is a folder.") from None
    except OSError as error:
        raise SettingsError(f"The settings file {path} cannot be read ({error.strerror}).") from error


def _refuse_literal_secrets(value: object, dotted: str) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _refuse_literal_secrets(inner, f"{dotted}.{key}" if dotted else key)
    elif isinstance(value, str) and value and _is_secret(dotted) and not _REFERENCE.fullmatch(value):
        name = dotted.upper().replace(".", "_")
        raise SettingsError(
            f'{dotted}: a secret may not stand in the file; write "${{{name}}}" '
            "and set it in the environment."
        )


def _resolve_references(value: Any, env: Mapping[str, str], dotted: str) -> Any:
    if isinstance(value, dict):
        return {k: _resolve_references(v, env, f"{dotted}.{k}" if dotted else k) for k, v in value.items()}
    if isinstance(value, list):
        return [_resolve_references(v, env, dotted) for v in value]
    if not isinstance(value, str):
        return value

    def read(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in env:
            raise SettingsError(f"{dotted} refers to ${{{name}}}, which is not set in the environment.")
        return env[name]

    return _REFERENCE.sub(read, value)


def _overlay_environment(values: dict[str, Any], env: Mapping[str, str]) -> None:
    for name in sorted(env):
        if not name.startswith(ENV_PREFIX):
            continue
        if ENV_DELIMITER not in name:
            _refuse_whole_section(name)
            continue
        path = [part.lower() for part in name.removeprefix(ENV_PREFIX).split(ENV_DELIMITER)]
        target = values
        for part in path[:-1]:
            inner = target.setdefault(part, {})
            if not isinstance(inner, dict):
                raise SettingsError(f"{name}: {part} is not a section of the settings.")
            target = inner
        target[path[-1]] = _parse_environment(path, env[name])


def _refuse_whole_section(name: str) -> None:
    if name.removeprefix(ENV_PREFIX).lower() in Settings.model_fields:
        raise SettingsError(f"{name}: a variable sets one key; write {name}{ENV_DELIMITER}KEY for each.")


def _parse_environment(path: list[str], raw: str) -> object:
    """Read a value as TOML unless the setting is a string, where every text is itself."""
    if _is_text(_annotation_at(path)):
        return raw
    try:
        return tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        return raw


def _annotation_at(path: list[str]) -> object:
    current: object = Settings
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(part)
            current = _without_none(field.annotation) if field else None
        elif get_origin(current) is dict:
            current = get_args(current)[1]
        else:
            return None
    return current


def _without_none(annotation: object) -> object:
    """The kind of value of a setting that may be absent."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    return kinds[0] if len(kinds) == 1 else annotation


def _is_text(annotation: object) -> bool:
    if annotation in (str, SecretStr):
        return True
    return get_origin(annotation) is Literal and all(isinstance(a, str) for a in get_args(annotation))


def _explain(error: Any) -> str:
    location = [str(part) for part in error["loc"]]
    dotted = ".".join(location)
    if error["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(location[-1], _keys_at(location[:-1]), n=1, cutoff=0.5)
        inside = f"[{'.'.join(location[:-1])}]" if location[:-1] else "the settings"
        hint = f"; did you mean {'.'.join([*location[:-1], nearest[0]])}?" if nearest else "."
        return f"{dotted}: there is no such key in {inside}{hint}"
    if error["type"] == "value_error":
        return f"{dotted}: {error['msg'].removeprefix('Value error, ')}"
    given = "" if _is_secret(dotted) else f", got {error['input']!r}"
    return f"{dotted}: {_expected(error)}{given}"


def _keys_at(location: list[str]) -> list[str]:
    annotation = _annotation_at(location) if location else Settings
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return list(annotation.model_fields)
    return []


def _expected(error: Any) -> str:
    kinds = {
        "int_type": "expected a whole number",
        "float_type": "expected a number",
        "bool_type": "expected true or false",
        "string_type": "expected a text",
        "tuple_type": "expected a list",
        "dict_type": "expected a section",
        "model_type": "expected a section",
        "missing": "is required",
    }
    message = str(error["msg"])
    return kinds.get(error["type"], message[:1].lower() + message[1:])


def _mask_secrets(value: Any, dotted: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _mask_secrets(v, f"{dotted}.{k}") for k, v in value.items()}
    if isinstance(value, str) and value and _is_secret(dotted):
        return _MASK
    if isinstance(value, str) and dotted.endswith("url"):
        return re.sub(r"(://[^:/@]+):[^@]+@", rf"\1:{_MASK}@", value)
    return value


def _is_secret(dotted: str) -> bool:
    last = dotted.rpartition(".")[2]
    return any(last == key or last.endswith(f"_{key}") for key in _SECRET_KEYS)
