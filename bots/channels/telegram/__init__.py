"""Telegram: polling or a webhook, private chats, groups and topics.

channel     the connection: receive, deliver, check
updates     what Telegram sends, as messages and actions
rendering   Markdown as text with entities
"""
