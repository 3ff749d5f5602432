"""The words of the pages, English and Japanese, one module a page.

lookup   words of a page first, then the common ones
answers  the page of answers
article, overview, quadrants, unused   words of the page of that name, found by it
labelling  the page of labelling
reviews  the page of drafts that wait for a person
"""
