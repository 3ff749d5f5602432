"""One file format a module: each turns a file into a Layout.

markdown  .md and its relatives: headings, lists, tables, fences, front matter
plain     text without markup, RST, AsciiDoc: headings recognised conservatively
html      what a reader of the page sees
delimited CSV and TSV
python    Python by its syntax tree
code      every other language, by light rules
prose     docstrings and comments inside code
pdf       PDFs; its steps: pdf_outline (bookmarks), pdf_rows (glyphs to printed rows), pdf_margins (running
          headers and page numbers), pdf_headings (where sections begin), pdf_title, pdf_flow (running text)
"""
