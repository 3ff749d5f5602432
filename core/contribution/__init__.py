"""The measure: which article carried an answer. Pure: no model, no prompt, no port.

Read an answer
    statements        an answer -> its statements
    blocks            its visible text, whatever the format, and its citation marks
    markdown_blocks   blocks of an answer in Markdown
    json_blocks       blocks of an answer in JSON
    reasons           why a sentence is not judged
    phrases           greetings, hedges, refusals, as data
Check a statement against a line
    reading           what of a text is compared
    features          what statement and line have in common and where they part
    polarity          negation and opposites
    antonyms          pairs of opposites, as data
    binding           does another number fit the words better
    exchange          do two words stand in each other's place
    matching          prefilter, and the best line of each article
    repeats           what was compared before is not compared again
    support           features -> probability; the coefficients are data in coefficients/
    passages          a bare passage as lines
Sum up
    measure           verdicts of an answer's statements, and what each article carried
    quadrants         how often an article is shown against how much it carries
    advice            why it stands in its quadrant, and what to do
    advice_words      the same in words
    gaps              what no article answers, grouped and named
Keep it honest
    calibrate         fit weights, calibration and threshold to what people said
    bands             reliability, ROC and precision-recall curves, each with its interval
    metrics           how well probabilities agree with people
    drift             does it still work on what comes in now
    biases            does something else explain the contribution
    correctness       do people like the answers that articles carry
"""
