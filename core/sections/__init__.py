"""The sections of the settings, as classes; `core.config` reads them from the file and the environment.

base        strict types, no unknown keys
memory      stores, embedding models, files
rag         from a question to the prompt
anchors     where in long documents an answer stands
llm         the language model
evaluation  how contribution is measured
access      who may see what, and how long
channels    where people talk to Kiyo; `channel` is what all have in common, then one module each
gate        what an answer must reach to leave without a person
reviews     who looks at the other drafts, and where
limits      how many questions are taken
"""
