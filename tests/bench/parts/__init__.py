"""The parts of the benchmark: each module has `run(context)`, which returns its figures.

quality_retrieval    the right articles, on every question set, by keyword, by vector and by both
quality_support      agreement with people on what supports a sentence
quality_attribution  sentences credited to the passages that people chose
speed_reply          from a question to its recorded answer, stage by stage
scaling              retrieval over ten and a hundred times as many chunks
dashboard_speed      pages of the dashboard, alone and by ten people, its memory, a large file
memory               of a process that serves
ingest               beside the embedding it needs, and over unchanged files
startup              of the command line
"""
