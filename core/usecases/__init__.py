"""What the product can do, one public function a file.

ingest    files become articles
sources   which source a folder belongs to, and who may see what is read from it
scope     which files of a source one ingest speaks for
refresh   the indexes catch up with the database
reindex   vectors and indexes are made again after a loss or a change of model
retrieve  from a question to what stands in the prompt, by chunks or by anchors
anchor_retrieve  places inside the documents that fit best, and what is shown around them
anchor_documents  which documents are searched for places
anchor_tables     these documents as detectors scan them, loaded once a version
anchor_dictionary  the file of words that mean the same
explain   how an answer came about
debug_toc  which sections a model selects by the table of contents alone
reply     a question becomes a recorded answer with its contributions
evaluate  which article carried which statement of an answer
lookup    statements that nothing shown supports, searched in everything
evidence  lines, vectors and rarity of terms that statements are compared with
gaps      what no article answers, and which article closes it
gap_support  whether a new or changed article supports an item of a gap
recorded  answers that another bot gave are measured like our own
supplied  what another bot was given, found again in the knowledge base
privacy   texts go when their days are over, or when their person asks for it
reader_groups  who may read an article or a source
calibration_curves  how the check agrees with people at every threshold
people    who may do what on the dashboard
accounts  people of the dashboard: made, changed, signed in
api_keys  keys of programs that ask over HTTP
audit     what people do is noted in the transaction that does it
lab       one question through every detector, or a set of questions with known articles
exporting, export_files  files of many answers, row by row
page_questions  questions asked on a page; uploads: files brought in there
jobs      work as data: what one process asks of the one that holds the indexes
answer_json     an answer as the JSON object that programs read
eval_retrieval  how well the right articles are found, on data whose answers are known
"""
