"""The connection to Discord by discord.py. Nobody is ever notified by what an answer says."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bots.channels.discord.catching_up import catch_up
from bots.channels.discord.rendering import LIMIT, render
from bots.channels.discord.updates import (
    CHANNEL,
    read_command,
    read_deletion,
    read_message,
    read_press,
    read_reaction,
)
from core.errors import AmbiguousSendError, ChannelDownError, ChannelError, RateLimitedError, RefusedError
from core.messages import Capabilities, CheckFinding, IncomingAction, Parcel, Part, Place, Receipt, Reply
from core.ports import Inbox
from core.sections.discord import DiscordSettings

if TYPE_CHECKING:
    from discord import (
        Client,
        Interaction,
        Message,
        RawMessageDeleteEvent,
        RawMessageUpdateEvent,
        RawReactionActionEvent,
    )

LOOK_BACK = 50
LONGEST_WAIT = 30.0
"""Seconds that discord.py waits by itself; for longer ones the outbox does."""
_INTENT = "Switch on the message content intent of the bot in Discord's developer portal (Bot, Privileged)."


class DiscordChannel:
    """`Channel` for one bot."""

    name = CHANNEL
    capabilities = Capabilities(
        buttons=True, threads=True, typing=True, look_up=True, reactions=True, max_chars=LIMIT
    )

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings
        self._client: Client | None = None

    async def run(self, inbox: Inbox) -> None:
        """Receive from the gateway until cancelled."""
        import aiohttp
        import discord

        _point(self._settings)
        client = _make_client()
        _listen(client, inbox)
        _offer_command(client, inbox)
        self._client = client
        try:
            await client.start(self._settings.token.get_secret_value())
        except discord.PrivilegedIntentsRequired as error:
            raise ChannelError(_INTENT) from error
        except discord.LoginFailure as error:
            raise ChannelError("Discord does not know this token; set DISCORD_TOKEN anew.") from error
        except (discord.DiscordException, OSError, aiohttp.ClientError) as error:
            raise ChannelDownError(f"Discord: {type(error).__name__}") from error
        finally:
            self._client = None
            await client.close()
        raise ChannelDownError("Discord ended the connection.")

    def render(self, reply: Reply, place: Place) -> tuple[Part, ...]:  # noqa: ARG002 - the same everywhere
        """Messages of at most 2,000 units of UTF-16."""
        return render(reply)

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send one message under a nonce that Discord enforces."""
        import aiohttp
        import discord

        target = self._connected().get_partial_messageable(_target(parcel.place))
        try:
            sent = await target.send(**_message(parcel))
        except discord.RateLimited as error:
            raise RateLimitedError("Discord asked to wait.", error.retry_after) from error
        except discord.DiscordServerError as error:
            raise AmbiguousSendError(f"Discord did not confirm: {error}") from error
        except discord.HTTPException as error:
            raise RefusedError(f"Discord refused the message: {error}") from error
        except (OSError, aiohttp.ClientError) as error:
            raise AmbiguousSendError(f"Discord did not confirm ({type(error).__name__}).") from error
        return Receipt((str(sent.id),))

    async def find_delivered(self, parcel: Parcel) -> Receipt | None:
        """Among the latest messages, the one of this bot with the same text in reply to the same message, or,
        where Discord still gives it, with the nonce."""
        import aiohttp
        import discord

        client = self._connected()
        target = client.get_partial_messageable(_target(parcel.place))
        me = client.user.id if client.user is not None else 0
        try:
            async for message in target.history(limit=LOOK_BACK):
                if str(message.nonce) == _nonce(parcel.key) or _is_same(message, parcel, me):
                    return Receipt((str(message.id),))
        except (discord.DiscordException, OSError, aiohttp.ClientError) as error:
            raise ChannelDownError(f"Discord: {type(error).__name__}") from error
        return None

    async def show_progress(self, place: Place, message_id: str) -> None:  # noqa: ARG002
        """ "typing…" for ten seconds."""
        import discord

        with suppress(discord.DiscordException, ChannelError, OSError):
            await self._connected().get_partial_messageable(_target(place)).typing()

    async def check(self) -> list[CheckFinding]:
        """Token and the message content intent."""
        import discord

        _point(self._settings)
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


def _point(settings: DiscordSettings) -> None:
    """discord.py keeps its addresses in its classes; this is the only place that sets them."""
    import discord
    from yarl import URL

    discord.http.Route.BASE = settings.api_url.rstrip("/")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.gateway_url)


def _make_client() -> Client:
    import discord

    intents = discord.Intents.default()
    intents.message_content = True
    return discord.Client(
        intents=intents,
        allowed_mentions=discord.AllowedMentions.none(),
        max_messages=None,
        max_ratelimit_timeout=LONGEST_WAIT,
    )


def _listen(client: Client, inbox: Inbox) -> None:
    def own_id() -> int:
        return client.user.id if client.user is not None else 0

    async def on_message(message: Message) -> None:
        taken = read_message(message, own_id())
        if taken is not None:
            await inbox.take_message(taken)

    async def on_raw_message_edit(event: RawMessageUpdateEvent) -> None:
        if event.data.get("edited_timestamp") is None:  # a link that unfolds is an update, too
            return
        taken = read_message(event.message, own_id(), "edited")
        if taken is not None:
            await inbox.take_message(taken)

    async def on_raw_message_delete(event: RawMessageDeleteEvent) -> None:
        await inbox.take_message(read_deletion(event, client))

    async def on_raw_reaction(event: RawReactionActionEvent) -> None:
        action = read_reaction(event, client, own_id())
        if action is not None:
            await inbox.take_action(action)

    async def on_interaction(interaction: Interaction) -> None:
        action = read_press(interaction, own_id())
        if action is not None:
            await _act(interaction, action, inbox)

    async def on_ready() -> None:
        await catch_up(client, inbox)

    for listener in (on_ready, on_message, on_raw_message_edit, on_raw_message_delete, on_interaction):
        client.event(listener)
    setattr(client, "on_raw_reaction_add", on_raw_reaction)  # noqa: B010 - discord.py finds listeners by name
    setattr(client, "on_raw_reaction_remove", on_raw_reaction)  # noqa: B010


async def _act(interaction: Interaction, action: IncomingAction, inbox: Inbox) -> None:
    """A draft is edited in a window; everything else is done at once, and only who pressed is told."""
    import discord

    if action.kind == "edit" and interaction.type is discord.InteractionType.component:
        window = discord.ui.Modal(title="Kiyo", custom_id=f"edit|{action.target}|")
        window.add_item(
            discord.ui.TextInput(label="Answer · 回答", style=discord.TextStyle.paragraph, max_length=4000)
        )
        await interaction.response.send_modal(window)
        return
    with suppress(discord.DiscordException):  # the wish counts even if nobody can be told
        await interaction.response.defer(ephemeral=True)
    said = await inbox.take_action(action)
    if said:
        with suppress(discord.DiscordException):
            await interaction.followup.send(said, ephemeral=True)


def _offer_command(client: Client, inbox: Inbox) -> None:
    """`/ask`; it is registered only where Discord does not know it yet."""
    import discord

    tree = discord.app_commands.CommandTree(client)

    @tree.command(name="ask", description="Ask Kiyo · 質問する")
    async def ask(interaction: Interaction, question: str) -> None:
        me = client.user.id if client.user is not None else 0
        await inbox.take_message(read_command(interaction, question, me))
        shown = "\n".join(f"> {line}" for line in question.splitlines())[:LIMIT]
        await interaction.response.send_message(shown)

    async def setup_hook() -> None:
        with suppress(discord.DiscordException):
            if not any(command.name == "ask" for command in await tree.fetch_commands()):
                await tree.sync()

    setattr(client, "setup_hook", setup_hook)  # noqa: B010 - a hook of discord.py that is meant to be replaced


def _target(place: Place) -> int:
    return int(place.thread or place.conversation)


def _is_same(message: Message, parcel: Parcel, me: int) -> bool:
    answered = message.reference.message_id if message.reference is not None else None
    wanted = int(parcel.reply_to) if _is_reply(parcel) else None
    return message.author.id == me and message.content == parcel.part.body["content"] and answered == wanted


def _is_reply(parcel: Parcel) -> bool:
    return parcel.reply_to.isdecimal() and parcel.ordinal == 0


def _message(parcel: Parcel) -> dict[str, Any]:
    import discord

    body = parcel.part.body
    message: dict[str, Any] = {
        "content": body["content"],
        "nonce": _nonce(parcel.key),
        "allowed_mentions": discord.AllowedMentions.none(),
        "suppress_embeds": True,
    }
    if _is_reply(parcel):
        message["reference"] = discord.MessageReference(
            message_id=int(parcel.reply_to),
            channel_id=_target(parcel.place),
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
