"""Errors, sorted by who must act.

KiyoError
├── AskerError            the person asking can do something; the text is shown to them
│   └── NotReadyError     nothing to ask yet, or an index is being rebuilt: says what to do
├── OperatorError         whoever runs Kiyo must act; the text says what to change
│   ├── SettingsError     the settings are wrong
│   ├── ExtraMissingError an optional package is not installed
│   ├── StoreError        the database is absent, behind or in use
│   ├── IndexMismatchError the index was built by another embedding model or analyser
│   ├── ProviderError     a vendor failed
│   │   ├── ProviderTimeoutError
│   │   └── ProviderOutputError   it answered, but not in the form asked for
│   └── ChannelError      a platform failed
│       ├── ChannelDownError, RateLimitedError, AmbiguousSendError, RefusedError
└── ReadError             one file cannot be read; ingest reports it and goes on
    └── NeedsOcrError     a PDF without a text layer
"""


class KiyoError(Exception):
    """Base of all errors that Kiyo raises on purpose."""


class AskerError(KiyoError):
    """The person asking can act; the text is a sentence for them."""


class NotReadyError(AskerError):
    """There is nothing to answer from yet; the text says what to do."""


class RoleError(AskerError):
    """The role of the person does not allow this."""


class OperatorError(KiyoError):
    """Whoever runs Kiyo must act; the text says what to change."""


class SettingsError(OperatorError):
    """A setting is unknown, of the wrong type or contradicts another."""


class ExtraMissingError(OperatorError):
    """A package that this setting needs is not installed; the text names the extra."""


class StoreError(OperatorError):
    """The database cannot be used as it is."""


class IndexMismatchError(OperatorError):
    """The stored index belongs to another embedding model or analyser; `kiyo reindex` mends it."""


class ProviderError(OperatorError):
    """A vendor's service or library failed."""


class ProviderTimeoutError(ProviderError):
    """A vendor did not answer in time."""


class ProviderOutputError(ProviderError):
    """A vendor answered in a form that cannot be used."""


class ReadError(KiyoError):
    """A file cannot become an article; the text is the reason in the ingest report."""


class NeedsOcrError(ReadError):
    """A PDF without a text layer."""


class ChannelError(OperatorError):
    """A platform refused or failed; the text says what to change."""


class ChannelDownError(ChannelError):
    """The connection to a platform ended or cannot be made; the supervisor starts the channel again."""


class RateLimitedError(ChannelError):
    """The platform asks to wait. retry_after: seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AmbiguousSendError(ChannelError):
    """It is unknown whether the platform took the part: look it up before sending again."""


class RefusedError(ChannelError):
    """The platform will never take this part; sending it again is useless."""
