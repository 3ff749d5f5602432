"""The dashboard: how long people stay signed in, when accounts lock, who comes from another provider."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr, model_validator

from core.sections.base import Names, Section

RoleName = Literal["viewer", "reviewer", "labeller", "maintainer"]
RoleNames = Annotated[tuple[RoleName, ...], Field(strict=False)]


class OidcSettings(Section):
    """[dashboard.oidc]: people who sign in with an OpenID provider."""

    enabled: bool = Field(False, description="Offer it on the sign-in page.")
    name: str = Field("OpenID", description="What the sign-in page calls the provider.")
    public_url: str = Field(
        "", description="Address of the dashboard as browsers see it; the provider sends people back there."
    )
    metadata_url: str = Field("", description="The provider's `.well-known/openid-configuration`.")
    client_id: str = Field("", description="As the provider knows this dashboard.")
    client_secret: SecretStr = Field(SecretStr(""), description='Only as a reference: "${OIDC_SECRET}".')
    cookie_secret: SecretStr = Field(
        SecretStr(""),
        description="Signs what the provider said until the session begins; empty is a new one at each "
        "start.",
    )
    login_claim: str = Field("email", description="Claim that becomes the login.")
    roles_claim: str = Field("", description="Claim whose values [dashboard.oidc.roles] turns into roles.")
    roles: dict[str, RoleNames] = Field(default_factory=dict, description="Roles of a value of that claim.")
    default_roles: RoleNames = Field(
        (), description="Roles of who gets none by a claim; without any they are not let in."
    )
    groups_claim: str = Field("", description="Claim whose values [dashboard.oidc.groups] turns into groups.")
    groups: dict[str, Names] = Field(
        default_factory=dict, description="Reader groups of a value of that claim."
    )

    @model_validator(mode="after")
    def _is_complete(self) -> OidcSettings:
        needed = ("public_url", "metadata_url", "client_id")
        missing = [name for name in needed if not getattr(self, name)]
        if self.enabled and missing:
            raise ValueError(f"enabled = true needs {', '.join(missing)}")
        return self


class DashboardSettings(Section):
    """[dashboard]: signing in."""

    session_hours: float = Field(12.0, gt=0, le=720, description="How long somebody stays signed in.")
    max_failures: int = Field(5, ge=1, le=100, description="Wrong passwords after which an account locks.")
    lock_minutes: float = Field(15.0, gt=0, le=10_080, description="How long it stays locked.")
    secure_cookie: bool = Field(
        False, description="Let browsers send the cookie over HTTPS only; for servers behind HTTPS."
    )
    oidc: OidcSettings = OidcSettings()
