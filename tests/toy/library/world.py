"""Making a library: members, copies and loans, with near-duplicates among them."""

from datetime import datetime, timedelta

from tau_emotion_gym.kit import Registry
from tau_emotion_gym.world import Base, cents

from .records import Book, Hold, Loan, Member

NOW = datetime(2026, 5, 11, 10, 0)
MEMBERS = 120
BRANCHES = ("Riverside", "Hillside", "Old Town")
SUBJECTS = ("Rivers", "Bread", "Winter", "Islands", "Bees", "Bridges", "Clocks", "Gardens", "Moths", "Salt")
SHAPES = ("The Book of {}", "A Life Among {}", "{} and Other Stories", "{}: a History", "On {}")
AUTHORS = ("M. Okafor", "L. Brandt", "J. Castellan", "R. Amari", "S. Lindqvist", "T. Moreau")


def build(registry: Registry, scale: int) -> Base:
    """A library with 120 members per unit of scale."""
    draw = registry.draw
    members = [_member(registry, number) for number in range(MEMBERS * scale)]
    titles = [shape.format(subject) for subject in SUBJECTS for shape in SHAPES]
    books = [_book(registry, title) for title in titles for _ in range(6 * scale)]
    copies = draw.shuffled(books)
    loans = [_loan(registry, m, copies.pop()) for m in members for _ in range(draw.between(0, 3))]
    holds = [_hold(registry, draw.pick(members), copies.pop()) for _ in range(20 * scale)]
    return Base({Member: members, Book: books, Loan: _one_title_each(loans), Hold: holds}, NOW)


def _member(registry: Registry, number: int) -> Member:
    draw = registry.draw
    person = registry.person(first="Nora" if number % 12 == 0 else "")
    return Member(
        id=registry.digits("M", 6),
        first_name=person.first,
        last_name=person.last,
        email=person.email,
        zip=person.zip,
        fees=cents(draw.between(30, 2600) if draw.chance(0.6) else 0),
    )


def _book(registry: Registry, title: str) -> Book:
    draw = registry.draw
    return Book(id=registry.digits("B", 6), title=title, author=draw.pick(AUTHORS), branch=draw.pick(BRANCHES))


def _loan(registry: Registry, member: Member, book: Book) -> Loan:
    draw = registry.draw
    due = NOW.date() + timedelta(days=draw.between(-20, 20))
    return Loan(
        id=registry.digits("L", 7),
        member=member.id,
        book=book.id,
        title=book.title,
        due=due.isoformat(),
        renewals=draw.between(0, 2),
    )


def _hold(registry: Registry, member: Member, book: Book) -> Hold:
    return Hold(id=registry.digits("K", 6), member=member.id, book=book.id, pickup=book.branch)


def _one_title_each(loans: list[Loan]) -> list[Loan]:
    """At most one loan of a title per member, so that a member's title names one loan."""
    return list({(loan.member, loan.title): loan for loan in loans}.values())
