"""The page to sign in at: plain HTML without scripts, since nothing of Streamlit is served before."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from dashboard.text import NAMES, Words
from dashboard.words.lookup import PageWords
from dashboard.words.sign_in import WORDS

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1b2733; --soft: #55606b; --paper: #fff; --line: #c9d1d9; --key: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf2; --soft: #a9b4bf; --paper: #0e1117; --line: #48525c; --key: #6cb2ff; }
}
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 "Source Sans", "Hiragino Sans", "Noto Sans JP", "Yu Gothic UI", system-ui, sans-serif; }
main { max-width: 22rem; margin: 12vh auto 2rem; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
p { margin: .5rem 0; }
.soft { color: var(--soft); font-size: .9rem; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: .6rem .7rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .5rem; }
button, .provider { display: block; box-sizing: border-box; width: 100%; margin-top: 1.25rem; padding: .65rem;
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  border-radius: .5rem;
  border: 1px solid var(--key); background: var(--key); color: var(--paper); }
.provider { background: transparent; color: var(--key); }
:focus-visible { outline: 3px solid var(--key); outline-offset: 2px; }
.message { border-left: 4px solid #b3541e; padding: .25rem .75rem; }
code { overflow-wrap: anywhere; }
nav { margin-top: 2rem; display: flex; gap: 1rem; }
nav a { color: var(--key); }
"""


@dataclass(frozen=True, slots=True)
class SignInPage:
    """message: the name of a sentence, "" for none. provider: the address that leads to it, "" without one.

    nobody: nobody has an account yet. next_path: where the person wanted to go.
    """

    words: Words
    next_path: str = "/"
    message: str = ""
    login: str = ""
    provider: str = ""
    provider_name: str = ""
    nobody: bool = False
    lock_minutes: float = 15.0


def render_sign_in(page: SignInPage) -> tuple[str, str]:
    """The page, and the content security policy that fits it."""
    words = PageWords(page.words, WORDS)
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    title = escape(words("sign_in"))
    text = (
        f'<!doctype html><html lang="{page.words.locale}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Kiyo · {title}</title>'
        f"<style>{_STYLE}</style></head><body><main><h1>Kiyo</h1>"
        f'<p class="soft">{escape(words("sign_in_lead"))}</p>'
        f"{_message(page, words)}{_forms(page, words)}{_languages(page)}</main></body></html>"
    )
    return text, policy


def _message(page: SignInPage, words: PageWords) -> str:
    if not page.message:
        return ""
    minutes = f"{page.lock_minutes:g}"
    return f'<p class="message" role="alert">{escape(words(page.message, minutes=minutes))}</p>'


def _forms(page: SignInPage, words: PageWords) -> str:
    provider = ""
    if page.provider:
        name = words("sign_in_with", provider=page.provider_name)
        provider = f'<a class="provider" href="{escape(page.provider)}">{escape(name)}</a>'
    if page.nobody:
        command = "kiyo user add NAME --role maintainer"
        return f"<p>{escape(words('nobody_yet'))}</p><p><code>{command}</code></p>{provider}"
    return (
        f'<form method="post" action="/signin?lang={page.words.locale}">'
        f'<input type="hidden" name="next" value="{escape(page.next_path)}">'
        f'<label for="login">{escape(words("login"))}</label>'
        f'<input id="login" name="login" value="{escape(page.login)}" autocomplete="username" '
        'autocapitalize="none" spellcheck="false" required autofocus>'
        f'<label for="password">{escape(words("password"))}</label>'
        '<input id="password" name="password" type="password" autocomplete="current-password" required>'
        f'<button type="submit">{escape(words("sign_in"))}</button></form>{provider}'
    )


def _languages(page: SignInPage) -> str:
    kept = quote(page.next_path, safe="")
    links = " ".join(
        f'<a href="/signin?lang={locale}&amp;next={kept}" lang="{locale}">{name}</a>'
        for locale, name in NAMES.items()
        if locale != page.words.locale
    )
    return f"<nav>{links}</nav>"
