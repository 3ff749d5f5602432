"""Discord.

channel    the connection: gateway, sending, `kiyo doctor`
updates    what Discord sends, as messages and actions
rendering  a reply as messages of at most 2,000 units
"""
