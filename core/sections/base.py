"""What every section of the settings shares: strict types, no unknown keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Names = Annotated[tuple[str, ...], Field(strict=False)]


class Section(BaseModel):
    """A table of `kiyo.toml`: its docstring is its text on the settings page, as `[name]: what it is for`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)
