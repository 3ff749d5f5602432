"""The pages, one a file; they do not know each other.

quadrants   which articles are shown, and which ones carry
gaps        what no article answers, and what the search did not find
answer      answers to search, and one beside its articles, statement by statement
answer_filters, answer_trace   its search, and how the answer came about
"""
