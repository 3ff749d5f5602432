"""One file format a module: each turns a file into a Layout.

markdown  .md and its relatives: headings, lists, tables, fences, front matter
plain     text without markup: headings recognised conservatively
"""
