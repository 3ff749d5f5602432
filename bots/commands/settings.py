"""`kiyo config` and `kiyo version`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from bots.console import write, write_json


def register(app: typer.Typer) -> None:
    app.command("config")(config)
    app.command("version")(version)


def config(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """Print the settings that are in effect, secrets masked."""
    from core.config import describe_settings, load_settings

    described = describe_settings(load_settings())
    if as_json:
        write_json(described)
    else:
        write("\n".join(_toml(described, "")).strip())


def version() -> None:
    """Print the version of Kiyo."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        write(f"kiyo {installed('kiyo')}")
    except PackageNotFoundError:
        write("kiyo (run from its sources, not installed)")


def _toml(section: Mapping[str, Any], dotted: str) -> Iterator[str]:
    """Lines of a file that `kiyo.toml` could be; unset values are left out."""
    values = {key: value for key, value in section.items() if not isinstance(value, Mapping)}
    if values and dotted:
        yield f"\n[{dotted}]"
    for key, value in values.items():
        if value is not None:
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield from _toml(value, f"{dotted}.{key}" if dotted else key)
