"""GitHub: issues, their comments, discussions; webhooks or polling; as an app or with a token.

channel     the connection: receive, deliver, look up, check
webhooks    what GitHub sends, as messages and actions
polling     the same from the lists of a repository
calls       one call at a time by PyGithub, with failures that say whether it may have worked
rendering   Markdown as a comment that calls nobody
"""
