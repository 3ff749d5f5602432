"""Words of one page: its own first, then the common ones."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.text import Words


class PageWords(Words):
    """The words of one page in one language; own: name -> (English, Japanese)."""

    def __init__(self, common: Words, own: Mapping[str, tuple[str, str]]) -> None:
        super().__init__(common.locale)
        self._own = own

    def __call__(self, name: str, **values: object) -> str:
        """The text of this name; raises KeyError for a name that neither has."""
        if name not in self._own:
            return super().__call__(name, **values)
        english, japanese = self._own[name]
        text = japanese if self.locale == "ja" else english
        return text.format(**values) if values else text
