"""How members say what they want, and what is at stake for them."""

from typing import Any

Story = dict[str, Any]
"""Keyword arguments of `intent`."""

LATE_COST: Story = {
    "phrasings": (
        "I want to know what my overdue books would cost if I brought them back today.",
        "Some of my books are overdue. I need to know what that adds up to as of today.",
        "What would I have to pay in all for being late if I returned everything today?",
        "I am late with some books and I want to hear the total cost up to today.",
        "Tell me what my late books cost altogether if they come back today.",
        "I have to know the sum for all the books that I am late with, as of today.",
    ),
    "stakes": {
        "anger": ("Nobody sent me a single reminder.", "This is the third time I have had to ask."),
        "fear": ("I have very little money left this month.", "I could lose my card over this."),
        "disgust": ("It feels like a trick to take money off readers.", "The way this is handled is shabby."),
        "sadness": ("I was in hospital and forgot them all.", "I have let this slide like everything else."),
        "enjoyment": ("I finally finished all of them.", "I loved every one of these books."),
    },
}

RENEW: Story = {
    "phrasings": (
        'I want to keep "{title}" for longer.',
        'I need more time with "{title}".',
        'My loan of "{title}" has to be renewed.',
        'I have not finished "{title}", so I want to extend it.',
        'Renew "{title}" for me.',
        'I have "{title}" at home and want it renewed.',
    ),
    "stakes": {
        "anger": ("Your website threw me out twice.", "I was told this takes a minute, and it took an hour."),
        "fear": ("My exam is next week and I need it.", "I dread getting yet another fine."),
        "disgust": ("Your website is a mess to look at.", "The copy is stained, but it is the only one."),
        "sadness": ("I have been too low to read.", "It was my late father's favourite."),
        "enjoyment": ("It is the best thing I have read this year.", "My reading group adores it."),
    },
}

RENEW_AGAIN: Story = {
    **RENEW,
    "insist": (
        "There must be some way to renew it once more.",
        "I still want it renewed.",
        "Surely you can make an exception for one book.",
    ),
}

PAY: Story = {
    "phrasings": (
        "I want to pay all the fees on my card.",
        "I have fees to settle and want to pay the whole amount.",
        "Charge me whatever I owe the library.",
        "I want to clear everything that I owe.",
        "Take the payment for all my fees.",
        "I am here to pay off my library fees in full.",
    ),
    "stakes": {
        "anger": ("Half of these fees are your own mistake.", "I am sick of the letters about it."),
        "fear": ("I am scared that you will block my card.", "I worry that it goes to a collector."),
        "disgust": ("It is ugly how these fees pile up.", "The tone of your letters is nasty."),
        "sadness": ("It weighs on me.", "I am ashamed that it came to this."),
        "enjoyment": ("I got paid today.", "It will feel good to start fresh."),
    },
}

HOLD_AFTER_PAYING: Story = {
    "phrasings": (
        'I want "{title}" kept for me.',
        'I want a hold on "{title}".',
        'Reserve "{title}" for me.',
        'I want to collect "{title}" soon, so put it aside.',
        'Put "{title}" on hold in my name.',
        'I need a copy of "{title}" reserved.',
    ),
    "stakes": {
        "anger": ("Last time it went to somebody else.", "I have been put off for weeks."),
        "fear": ("I am afraid that it is gone tomorrow.", "My essay depends on it."),
        "disgust": ("The last copy I had was filthy.", "I will not go through those dusty shelves."),
        "sadness": ("It would be a comfort these days.", "I have missed it so often."),
        "enjoyment": ("I have looked forward to it for months.", "It is a present to myself."),
    },
}

HOLD_OR_OTHER: Story = {
    **HOLD_AFTER_PAYING,
    "fallback": (
        'Then I will take "{other}".',
        'In that case put "{other}" on hold for me.',
    ),
    "insist": ("But I really wanted that one.", "Look again, there must be a copy."),
}

LOST: Story = {
    "phrasings": (
        'I have lost "{title}".',
        'I cannot find "{title}" anywhere, it is lost.',
        'I left "{title}" on a train and it is gone.',
        '"{title}" is lost and I have to report it.',
        'I must report that I lost "{title}".',
        'The book "{title}" is lost, somebody has to sort that out.',
    ),
    "stakes": {
        "anger": ("The railway just shrugged.", "I am furious with myself and with them."),
        "fear": ("I am scared of what it will cost.", "I fear that I will be banned."),
        "disgust": ("It fell somewhere too foul to reach.", "The lost property office was revolting."),
        "sadness": ("I feel terrible about it.", "It was a rare copy and I loved it."),
        "enjoyment": ("At least I had finished it.", "It was a wonderful trip all the same."),
    },
}

STUCK: Story = {
    "phrasings": (
        "I am stuck in the lift at {branch} and nobody hears me.",
        "The lift at {branch} has stopped with me in it.",
        "The doors of the lift at {branch} will not open and I am inside.",
        "I have been in the lift at {branch} for half an hour, it does not move.",
        "Get me out of the lift at {branch}.",
        "I need somebody to open the lift at {branch}, I am trapped.",
    ),
    "stakes": {
        "anger": ("The alarm button does nothing at all.", "It broke down last week too."),
        "fear": ("The light has gone out.", "I find it hard to breathe in here."),
        "disgust": ("It reeks in here.", "The floor is sticky and wet."),
        "sadness": ("I just want to be at home.", "My little girl waits outside and cries."),
        "enjoyment": ("At least I have a good book with me.", "It makes a good story for tonight."),
    },
}
