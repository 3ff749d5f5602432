"""How Kiyo reads Japanese and English; the one place for it.

normalise      text as it is compared: NFKC, case, spaced headings (never what is shown)
language       which language a text is written in: ja, en or other
sentences      where sentences begin and end
terms          analysers: text -> search terms
latin          words, identifiers and stems of Latin script
morphology     Japanese content words by SudachiPy
stopwords      words that carry no topic
tokens         how many tokens a text costs, without a vocabulary
quantities     numbers, units, dates and codes in canonical form, and whether two texts agree on them
"""
