"""The charts: rows in, pages out. No model, no index, no event loop.

app      the entry that Streamlit runs: settings of the page, language, navigation
pages    what a page is, and how the pages are found
period_choice   the period a page speaks of, kept in the address
runtime  the database and the person who looks; what the pages read
overview_figures, alarms   the figures of the overview, and what needs a person
job_waiting   a job that a page asked for, followed to its end
quadrant_choice   the quadrant chart, left for the article that is clicked
filters  choices that the address keeps
exports  tables as files
keeping  figures that are read once and shown for a while
calibrating, calibration_charts   what the page of the check reads and does, and its curves
charts   rows become Altair charts
text     every word of the pages, in Japanese and English
markup   statements and articles as escaped HTML
views    one page a file
words    the words of single pages
"""
