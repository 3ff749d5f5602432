"""The pages, one a file; they do not know each other.

quadrants   which articles are shown, and which ones carry
gaps        what no article answers, and what the search did not find
answer      one answer beside its articles, statement by statement
"""
