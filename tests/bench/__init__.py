"""Figures, not tests: quality on development data, speed and memory. `make bench` runs them.

retrieval_sets  the question sets, as rows
fit_ranking     makes core/rag/ranking_weights.json from them
"""
