"""The words of the pages, English and Japanese, one module a page.

lookup   words of a page first, then the common ones
answers  the page of answers
labelling  the page of labelling
"""
