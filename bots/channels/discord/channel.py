"""The connection to Discord by discord.py. Nobody is ever notified by what an answer says."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bots.channels.discord.rendering import LIMIT, render
from bots.channels.discord.updates import CHANNEL, read_message, read_press
from core.errors import AmbiguousSendError, ChannelDownError, ChannelError, RateLimitedError, RefusedError
from core.messages import Capabilities, CheckFinding, Parcel, Part, Place, Receipt, Reply
from core.ports import Inbox
from core.sections.discord import DiscordSettings

if TYPE_CHECKING:
    from discord import Client, Interaction, Message

LOOK_BACK = 50
_INTENT = "Switch on the message content intent of the bot in Discord's developer portal (Bot, Privileged)."


class DiscordChannel:
    """`Channel` for one bot."""

    name = CHANNEL
    capabilities = Capabilities(buttons=True, typing=True, look_up=True, max_chars=LIMIT)

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings
        self._client: Client | None = None

    async def run(self, inbox: Inbox) -> None:
        """Receive from the gateway until cancelled."""
        import discord

        client = _make_client()
        _listen(client, inbox)
        self._client = client
        try:
            await client.start(self._settings.token.get_secret_value())
        except discord.PrivilegedIntentsRequired as error:
            raise ChannelError(_INTENT) from error
        except discord.LoginFailure as error:
            raise ChannelError("Discord does not know this token; set DISCORD_TOKEN anew.") from error
        except (discord.DiscordException, OSError) as error:
            raise ChannelDownError(f"Discord: {error}") from error
        finally:
            self._client = None
            await client.close()
        raise ChannelDownError("Discord ended the connection.")

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """Messages of at most 2,000 units of UTF-16."""
        return render(reply)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send one message under a nonce that Discord enforces."""
        import discord

        target = self._connected().get_partial_messageable(int(parcel.place.conversation))
        try:
            sent = await target.send(**_message(parcel))
        except discord.RateLimited as error:
            raise RateLimitedError("Discord asked to wait.", error.retry_after) from error
        except discord.DiscordServerError as error:
            raise AmbiguousSendError(f"Discord did not confirm: {error}") from error
        except discord.HTTPException as error:
            raise RefusedError(f"Discord refused the message: {error}") from error
        except OSError as error:
            raise AmbiguousSendError(f"Discord did not confirm: {error}") from error
        return Receipt((str(sent.id),))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """Among the latest messages, the one with the nonce of this parcel."""
        import discord

        target = self._connected().get_partial_messageable(int(parcel.place.conversation))
        try:
            async for message in target.history(limit=LOOK_BACK):
                if str(message.nonce) == _nonce(parcel.key):
                    return Receipt((str(message.id),))
        except (discord.DiscordException, OSError) as error:
            raise ChannelDownError(f"Discord: {error}") from error
        return None

    async def show_progress(self, place: Place, message_id: str) -> None:  # noqa: ARG002
        """ "typing…" for ten seconds."""
        import discord

        with suppress(discord.DiscordException, ChannelError, OSError):
            await self._connected().get_partial_messageable(int(place.conversation)).typing()

    async def check(self) -> list[CheckFinding]:
        """Token and the message content intent."""
        import discord

        client = _make_client()
        try:
            await client.login(self._settings.token.get_secret_value())
            flags = (await client.application_info()).flags
        except (discord.DiscordException, OSError) as error:
            return [CheckFinding("discord: token", False, str(error))]
        finally:
            await client.close()
        allowed = flags.gateway_message_content or flags.gateway_message_content_limited
        intent = CheckFinding("discord: intent", allowed, "" if allowed else _INTENT)
        return [CheckFinding("discord: token", True, "The token is known."), intent]

    def _connected(self) -> Client:
        if self._client is None:
            raise ChannelDownError("Discord is not connected.")
        return self._client


def make_channel(settings: DiscordSettings) -> DiscordChannel:
    return DiscordChannel(settings)


def _make_client() -> Client:
    import discord

    intents = discord.Intents.default()
    intents.message_content = True
    return discord.Client(intents=intents, allowed_mentions=discord.AllowedMentions.none())


def _listen(client: Client, inbox: Inbox) -> None:
    def own_id() -> int:
        return client.user.id if client.user is not None else 0

    async def on_message(message: Message) -> None:
        taken = read_message(message, own_id())
        if taken is not None:
            await inbox.take_message(taken)

    async def on_interaction(interaction: Interaction) -> None:
        action = read_press(interaction, own_id())
        if action is None:
            return
        await interaction.response.defer(ephemeral=True)
        said = await inbox.take_action(action)
        if said:
            await interaction.followup.send(said, ephemeral=True)

    client.event(on_message)
    client.event(on_interaction)


def _message(parcel: Parcel) -> dict[str, Any]:
    import discord

    body = parcel.part.body
    message: dict[str, Any] = {
        "content": body["content"],
        "nonce": _nonce(parcel.key),
        "allowed_mentions": discord.AllowedMentions.none(),
        "suppress_embeds": True,
    }
    if parcel.reply_to and parcel.ordinal == 0:
        message["reference"] = discord.MessageReference(
            message_id=int(parcel.reply_to),
            channel_id=int(parcel.place.conversation),
            fail_if_not_exists=False,
        )
    if body["buttons"]:
        view = discord.ui.View(timeout=None)
        for one in body["buttons"]:
            style = discord.ButtonStyle(one["style"])
            view.add_item(discord.ui.Button(**{**one, "style": style}))
        message["view"] = view
    return message


def _nonce(key: str) -> str:
    """At most 25 characters, as Discord takes them."""
    return hashlib.sha256(key.encode()).hexdigest()[:25]
