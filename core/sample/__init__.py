"""The fictional company and product that Kiyo is shown and tested with: data only, no code.

knowledge/company     the rules of the company, in `ja` and `en`; `restricted` is for managers
knowledge/product     the manual of its product, in `ja` and `en`
questions.toml        what the demo asks, and checks for retrieval, each with the articles that answer
answers.jsonl         recorded answers of another bot, marked as examples
README.md             the traps that were laid on purpose
"""
