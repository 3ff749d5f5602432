"""Wording for language models, as data: <task>/<family>.toml, each with a version.

answer    from sources to an answer with [n]
rewrite   a follow-up question becomes one that stands alone
rerank    how well a passage answers a question
judge     whether passages carry statements, as yes or no
verify    the same as a probability
loading   finds the file of a task for a model, falling back to default.toml
"""
