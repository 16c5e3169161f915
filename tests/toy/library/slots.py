"""The details that conversations with the library need."""

from tau_emotion_gym.kit import Slot

SLOTS = (
    Slot(
        name="email",
        label="email address",
        names=("email", "e-mail"),
        ask=("Could you give me the email address on your library card?",),
        give=("It's {value}.", "My email is {value}."),
        unknown=("I don't know which email is on the card.",),
        instead=("name", "zip"),
    ),
    Slot(
        name="name",
        label="full name",
        names=("full name", "your name", "first and last name"),
        ask=("What is your full name?",),
        give=("My name is {value}.", "{value}."),
        unknown=("I'd rather give you my email.",),
        instead=("email",),
    ),
    Slot(
        name="zip",
        label="ZIP code",
        names=("zip",),
        ask=("What is your ZIP code?",),
        give=("My ZIP code is {value}.", "{value}."),
        unknown=("I don't have that at hand.",),
        instead=("email",),
        lookup=True,
    ),
    Slot(
        name="title",
        label="title",
        names=("title", "which book", "what book"),
        ask=("Which book is it?",),
        give=('It\'s "{value}".', 'The book is "{value}".'),
        unknown=("There is no particular book.",),
    ),
    Slot(
        name="pickup",
        label="pickup branch",
        names=("branch", "pick it up", "pick up"),
        ask=("At which branch would you like to pick it up?",),
        give=("{value}, please.", "I'd collect it at {value}."),
        unknown=("I haven't thought about a branch.",),
        choices={"Riverside": ("riverside",), "Hillside": ("hillside",), "Old Town": ("old town",)},
    ),
)
