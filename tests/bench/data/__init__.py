"""Data small enough to ship, on which the quality gates of the tests run.

pairs.toml     templates: passages, true statements about them and what makes them false
generate       the pairs made from them, in the rows that `kiyo eval support` reads
"""
