"""How Kiyo reads Japanese and English; the one place for it.

normalise       text as it is compared: NFKC, case, spaced headings (never what is shown)
language        which language a text is written in: ja, en or other
sentences       where sentences begin and end
  abbreviations   full stops that end no sentence
terms           analysers: text -> search terms, and the content words of a text
  latin           words, identifiers and stems of Latin script
  morphology      Japanese content words and compounds by SudachiPy
  stopwords       words that carry no topic
tokens          how many tokens a text costs, without a vocabulary
quantities      numbers, units, dates and codes in canonical form; do two texts agree on them?
  quantity        the value in which they are compared
  numerals        digits, kanji numerals, number words
  units           units, currencies, counters and their base units
  amounts         numbers with their units, ranges, fractions
  calendar_terms  dates, weekdays, clock times
  codes           addresses, phone numbers, versions, product codes, ordinals
  agreement       matched, conflicting or missing
"""
