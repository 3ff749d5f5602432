"""Where people talk to Kiyo, one channel a package; channels do not know each other.

making     configured channels as objects
markup     what all chat platforms share in showing a reply
terminal   a conversation in the terminal, or piped through it
slack, discord, telegram, github   each with connection, what arrives, how a reply looks
"""
