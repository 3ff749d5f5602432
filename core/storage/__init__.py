"""The relational database: rows in, values out. The only source of truth.

tables      every table, once; migrations are checked against it
rollup_tables  the tables that charts read
schema      what all tables have in common
engine      opening a database, read and write transactions, errors into sentences
migrating   bringing a database to the schema of this code
identity    a random name of the database, by which indexes are kept
knowledge   KnowledgeStore: sources, articles and what is derived from them
access      the one predicate of who may see what
articles    how the rows of one article are written
chunks      how the chunks of one article are written
rows        rows of the knowledge tables back into values
vectors     vectors by content key, packed vectors of lines by chunk
answers     AnswerStore: whole turns with exposures, statements, supports, contributions
recording   how one answer becomes rows
restoring   rows of an answer back into the value
rollups     running totals per article and counts per day, kept with every recorded answer
channel_tables  what came in and goes out, drafts, feedback, limits, keys
gap_tables  what no article answers
gaps        GapStore: items, their groups, what closes them
gap_reports  reads of gaps within what a person may see
staleness   contributions whose lines are gone
line_places  page and line, as a person counts them, of lines that carried something
answer_reports  lists of answers, searched and filtered
article_reports  one article: its lines with what they carried, versions, answers
reports     reads for charts: quadrants, unused articles, one article's series, counts
trace_tables  how answers came about
traces      TraceStore: those records, and what models said of tables of contents, while they are kept
privacy     PrivacyStore: texts that go, figures that stay
people_tables  people of the dashboard, their sessions, the log of what people do
people      PeopleStore: who may sign in, and who is signed in
audit       AuditLog: what people did, in the transaction that did it
password_hashes  passwords as argon2id hashes
lab_tables, lab   sets of questions for the retrieval lab, and how their runs went
jobs        JobStore: work that another process asked for
keys        hashes and dates as the tables hold them
"""
