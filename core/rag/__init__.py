"""The stages between a question and an answer, one a file, in the order in which they run.

asked_words  the words of a question that carry what it is about
follow_ups   what earlier turns lend to a question that does not stand on its own
retrieval    all detectors at once, inside the reader predicate
fusion       rankings become one order
relevance    scores become one calibrated number in [0, 1]
selection    threshold, order or diversity, budget: what is left are the exposures
prompting    question and sources become messages for a language model
answering    the answerer without a language model: quote the lines that answer
citations    every [n] is checked and led to its place
"""
