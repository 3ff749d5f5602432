"""The pages, one a file; they do not know each other.

overview    how the answers of a period are doing, against the period before
unused      articles that carried no answer, and why
quadrants   which articles are shown, and which ones carry
article     what the lines of one article carried, over time, and what to do
article_lines, article_series   its text as HTML, and its chart
gaps        what no article answers, and what the search did not find
answer      answers to search, and one beside its articles, statement by statement
answer_filters, answer_trace, answer_export   its search, how the answer came about, answers as a file
reviews     drafts that wait for a person
calibration the check against people: threshold, versions, drift and biases
calibration_curves, calibration_versions, calibration_health   its parts
lab         a question through each detector, and saved question sets
lab_result, lab_sets   its parts
labelling   people say whether an article says what a sentence says
"""
