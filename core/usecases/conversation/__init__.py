"""From a message in a channel to a reply in the outbox, the same for every channel.

intake      take what arrives: claim it, keep its text, count it
working     work off what waits: history, answer, gate, reply or draft for a person
actions     buttons, reactions and commands about answers and drafts
chatter     tell questions from greetings, thanks and the like
people      who asks, whom they are on other channels, what a place may see
places      names of places in the settings
replies     an answer or a draft as a reply
wording     the sentences that Kiyo says by itself
"""
