"""What all chat platforms share in showing a reply.

tree       Markdown as a tree
splitting  parts within a platform's limit, without losing text
composing  the caution above an answer and the sources below it
"""
