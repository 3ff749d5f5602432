"""Files become articles: text, sections, lines and chunks. Nothing here waits, stores or embeds.

reading    one file -> ParsedFile, or a sentence why not; the table of formats
readers/   one format a file
decoding   bytes -> text: encodings, binary files
walking    which files a list of paths means
blocks     what a reader hands over
folding    wrapped text as one running line
sections   the table of contents
lines      the line table
assembly   blocks -> ParsedFile
slugs      anchors of headings
chunking   ParsedFile -> chunks, by five strategies: settings and dispatch
units      the parts that chunking moves around; what must stay whole
grouping   units to chunks: in order, by paragraph, by separators
fixed_size windows with overlap
semantic   topic borders from line vectors
measuring  lengths in tokens or characters
"""
