"""An OpenID provider on loopback: discovery, authorization code with PKCE, signed ID tokens.

It asks nobody anything: whoever is sent to it is the person that the test says.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "kiyo-dashboard", "not-a-secret"


class OpenIdProvider:
    """Runs while the context lasts. claims: of the person who signs in next; refuses: nobody does."""

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self.claims = dict(claims)
        self.refuses = False
        self._key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self._codes: dict[str, dict[str, str]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def metadata_url(self) -> str:
        return f"{self.url}/.well-known/openid-configuration"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def keys(self) -> dict[str, Any]:
        return {"keys": [self._key.as_dict(private=False)]}

    def authorize(self, query: Mapping[str, str]) -> str:
        """Where the browser goes next: back with a code, or with an error."""
        back = {"state": query["state"]}
        if self.refuses or query["client_id"] != CLIENT_ID:
            back["error"] = "access_denied"
        else:
            code = secrets.token_urlsafe(16)
            self._codes[code] = dict(query)
            back["code"] = code
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def token(self, form: Mapping[str, str], client: tuple[str, str]) -> dict[str, Any] | None:
        """The ID token for a code, once; None for a wrong code, client, address or verifier."""
        asked = self._codes.pop(form.get("code", ""), None)
        if asked is None or client != (CLIENT_ID, CLIENT_SECRET):
            return None
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if challenge.rstrip(b"=").decode() != asked.get("code_challenge"):
            return None
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return None
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims | self.claims, self._key)
        return {"access_token": "x", "token_type": "Bearer", "expires_in": 300, "id_token": signed}


def _handler(provider: OpenIdProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path == "/authorize":
                self.send_response(302)
                self.send_header("location", provider.authorize(_first(asked.query)))
                self.end_headers()
            elif asked.path == "/jwks":
                self._send(200, provider.keys())
            else:
                self._send(200, provider.metadata())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
            basic = self.headers.get("authorization", "").removeprefix("Basic ")
            login, _, password = base64.b64decode(basic).decode().partition(":")
            token = provider.token(_first(body), (login, password))
            self._send(*((400, {"error": "invalid_grant"}) if token is None else (200, token)))

        def _send(self, status: int, content: Mapping[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Tests say what they need to know themselves."""

    return Handler


def _first(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}
