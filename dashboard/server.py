"""What `streamlit run` serves: the pages of `app.py` behind the gate, and the page to sign in at.

Streamlit looks for the variable `app` in this file, so it is made when the file is read.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from core.config import load_settings
from dashboard.admission import Admission
from dashboard.gate import Gate, make_routes
from dashboard.openid import provider_secrets
from dashboard.warming import load_pages

load_pages()
_settings = load_settings()
_admission = Admission(_settings)
app = st.App(
    Path(__file__).with_name("app.py"),
    routes=make_routes(_admission),
    middleware=[Middleware(Gate, admission=_admission, listens=st.get_option("server.address") or "")],
    secrets=provider_secrets(_settings.dashboard.oidc),
)
