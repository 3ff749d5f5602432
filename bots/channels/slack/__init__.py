"""Slack: Socket Mode or HTTP events, channels, threads, direct messages, `/ask`, a shortcut, assistants.

channel     the connection: receive, deliver, look up, check
events      what Slack sends, as messages and actions
rendering   Markdown as Block Kit with mrkdwn
modal       the window in which a draft is edited
"""
