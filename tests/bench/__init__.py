"""Figures, not tests: quality on development data, speed and memory. `make bench` runs them.

__main__        the command
parts           what is measured, a module each
figures         what a part reports, and how it is printed
pool, corpora   knowledge bases of any size from real sentences
children        measuring in a process of its own
retrieval_sets, support_sets  the development data, as rows
fit_ranking, fit_support      make the weights that Kiyo ships
data            question and pair sets small enough to ship
peers           other libraries on the same corpus; `make bench-peers`
"""
