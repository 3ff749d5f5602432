"""Where in long, structured documents does the answer stand? Cheap detectors first, one model call at most.

tables             the line table and the table of contents of one article, ready to be scanned
word_index         where every word stands, by stem
parsing            what a question looks for: keywords, shape, values, places that it names
question_words     words that ask rather than name
dictionary         words of a domain that mean the same, across languages
keywords           keywords and where they stand
hits               what detectors report
keyword_detectors  lines, pages and titles by distinct keywords
value_detector     values beside keywords
named              pages and sections that the question names
meaning_detectors  cosines with titles, lines and units
detection          all of them at once; what is skipped and why
scoring            one score a unit from everything that was found
relevance          how likely a place holds the answer, calibrated
aggregation        hits become candidates: sections, pages or chunks
numbering          bare numbers of places, for models
arbiter            what a model is shown, and what of its answer is believed
quotes             a quote counts only where it stands
finding            from question and documents to ranked places
expansion          from places to contexts within a budget
audit              the record of all this
"""
