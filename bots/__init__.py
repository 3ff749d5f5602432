"""The outermost layer: people in, people out.

__main__      the CLI `kiyo`: registers the commands, turns errors into sentences and exit codes
commands      one file a command group
channels      where people talk to Kiyo, one package each; `making` makes those that are configured
http          the HTTP server: `/v1`, webhooks, health, figures
supervisor    all channels of one process; `lag` measures its event loop
channel_server  what `kiyo serve` runs: supervisor, HTTP server, and who answers
running       services with the lock held, or a job for the process that holds it
memory        few memory pools and short pauses while answering
background    services and their event loop in a thread, for commands that also talk to a person
temporary     services on a store that is thrown away
conversation  the terminal channel on this process's stdin and stdout
serving       the dashboard as a child process
demo          the steps of `kiyo demo`
doctor        the checks of `kiyo doctor`
rendering     an answer as text for a terminal; its words stand in labels, its titles come from titles
trace_report  how an answer came about, as text
console       what the CLI writes: results, notes, progress, JSON
incidents     errors nobody expected go to a log file under an id
jsonl         files with one JSON object a line
people        who asks on the command line
operating     who acts on the command line, as the log of actions names them
"""
