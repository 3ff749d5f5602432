"""The commands of `kiyo`, one file a group. Each has `register(app)`; whatever is heavy is imported
inside the command that needs it, so that `kiyo --help` stays quick.
"""
