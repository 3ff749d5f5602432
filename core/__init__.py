"""The product without its faces: channels and dashboard stand outside and call in.

domain, errors, config   values everybody shares
ports                    what the core needs from the outside, as Protocols
text                     how Japanese and English are read
knowledge                files become articles, sections, lines and chunks
rag                      the stages between a question and an answer
contribution             which article carried which statement; pure
prompts                  wording for language models, as data
providers, storage       the real adapters behind the ports
usecases                 what the product can do; read this folder first
app                      builds everything from the settings
"""
