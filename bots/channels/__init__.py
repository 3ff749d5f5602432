"""Where people talk to Kiyo, one channel a file; channels do not know each other.

terminal   a conversation in the terminal, or piped through it
"""
