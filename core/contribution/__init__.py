"""The measure: which article carried an answer. Pure: no model, no prompt, no port.

blocks            the visible text of an answer, whatever its format, and citation marks
markdown_blocks   blocks of an answer in Markdown
json_blocks       blocks of an answer in JSON
reasons           why a sentence is not judged
statements        an answer -> its statements
features          what a statement and a line have in common
support           how probable it is that a line supports a statement
measure           verdicts of an answer's statements, and what each article carried
"""
