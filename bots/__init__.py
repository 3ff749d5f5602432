"""The outermost layer: people in, people out.

__main__    the CLI `kiyo`: registers the commands, turns errors into sentences and exit codes
commands    one file a command group
channels    where people talk to Kiyo, one file each
console     what the CLI writes: results, notes, progress, JSON
rendering   an answer as text for a terminal
running     services with the lock held, or a job for the process that holds it
background  services and their event loop in a thread, for commands that also talk to a person
demo        the steps of `kiyo demo`
doctor      the checks of `kiyo doctor`
serving     the dashboard as a child process
"""
