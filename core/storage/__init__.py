"""The relational database: rows in, values out. The only source of truth.

tables      every table, once; migrations are checked against it
engine      opening a database, read and write transactions, errors into sentences
migrating   bringing a database to the schema of this code
knowledge   KnowledgeStore: sources, articles and what is derived from them
articles    how the rows of one article are written
vectors     vectors by content key
answers     AnswerStore: whole turns with exposures, statements, supports, contributions
restoring   rows of an answer back into the value
rollups     running totals per article and counts per day, kept with every recorded answer
staleness   contributions whose lines are gone
reports     reads for charts: quadrants, unused articles, one article's series, counts
jobs        JobStore: work that another process asked for
keys        hashes and dates as the tables hold them
"""
