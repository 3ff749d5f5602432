"""Other libraries on the same corpus with the same embedding: how long a search takes, and what it finds.

requirements.txt    what they need, for a virtual environment of their own
__main__            the command: makes the corpora, runs Kiyo and the others, prints ratios
exchange            what the measuring processes are given and give back
llamaindex_pipeline, haystack_pipeline
                    a plain hybrid pipeline each; they run in that environment and import nothing of Kiyo
"""
