"""What an agent of the library can do."""

from datetime import date, timedelta

import msgspec

from tau_emotion_gym.kit import ToolError, read, write
from tau_emotion_gym.world import Money, World, money

from .records import Book, BookId, Branch, Hold, Loan, LoanId, Member, MemberId

RENEWAL_DAYS = 21


def member_of(world: World, member_id: str) -> Member:
    """The member, or a `ToolError`."""
    member = world.get(Member, member_id)
    if member is None:
        raise ToolError(f"no member has the id {member_id}")
    return member


def held(world: World, book_id: str) -> bool:
    """Whether somebody waits for this copy."""
    return bool(world.where(Hold, "book", book_id))


@read
def find_member_by_email(world: World, email: str) -> MemberId:
    """Find a member by the email address on the card. Returns the member's id.

    Args:
        email: The email address.
    """
    for member in world.where(Member, "email", email.strip().lower()):
        return member.id
    raise ToolError(f"no member has the email address {email}")


@read
def find_member_by_name(world: World, first_name: str, last_name: str, zip: str) -> MemberId:
    """Find a member by full name and ZIP code. Returns the member's id.

    Args:
        first_name: The first name.
        last_name: The last name.
        zip: The five-digit ZIP code.
    """
    wanted = (first_name.casefold(), last_name.casefold())
    for member in world.where(Member, "zip", zip):
        if (member.first_name.casefold(), member.last_name.casefold()) == wanted:
            return member.id
    raise ToolError(f"no member is called {first_name} {last_name} in {zip}")


@read
def get_member(world: World, member_id: MemberId) -> Member:
    """Show a member's record with the fees owed.

    Args:
        member_id: The member's id.
    """
    return member_of(world, member_id)


@read
def list_loans(world: World, member_id: MemberId) -> tuple[Loan, ...]:
    """List a member's loans with their due dates and how often each was renewed.

    Args:
        member_id: The member's id.
    """
    return tuple(world.where(Loan, "member", member_of(world, member_id).id))


@read
def search_books(world: World, title: str) -> tuple[Book, ...]:
    """List the copies of a title that nobody has borrowed or put on hold.

    Args:
        title: The whole title, exactly as printed.
    """
    copies = world.where(Book, "title", title)
    return tuple(b for b in copies if not held(world, b.id) and not world.where(Loan, "book", b.id))


@write("renew", "extend")
def renew_loan(world: World, loan_id: LoanId) -> Loan:
    """Renew a loan: the due date moves by 21 days.

    Args:
        loan_id: The loan's id.
    """
    loan = world.get(Loan, loan_id)
    if loan is None:
        raise ToolError(f"no loan has the id {loan_id}")
    due = date.fromisoformat(loan.due) + timedelta(days=RENEWAL_DAYS)
    renewed = msgspec.structs.replace(loan, due=due.isoformat(), renewals=loan.renewals + 1)
    world.put(renewed)
    return renewed


@write("hold", "reserve")
def place_hold(world: World, member_id: MemberId, book_id: BookId, pickup: Branch) -> Hold:
    """Put a copy on hold for a member.

    Args:
        member_id: The member's id.
        book_id: The copy's id.
        pickup: The branch where the member collects it.
    """
    member_of(world, member_id)
    if world.get(Book, book_id) is None:
        raise ToolError(f"no book has the id {book_id}")
    key = world.new_id(Hold, "K", member_id, book_id)
    hold = Hold(id=key, member=member_id, book=book_id, pickup=pickup)
    world.put(hold)
    return hold


@write("pay", "payment", "charge")
def pay_fees(world: World, member_id: MemberId, amount: Money) -> Member:
    """Charge the card on file for late fees.

    Args:
        member_id: The member's id.
        amount: Dollars to pay.
    """
    member = member_of(world, member_id)
    if not 0 < amount <= member.fees:
        raise ToolError(f"the amount must be between $0.01 and the fees owed, ${member.fees}")
    paid = msgspec.structs.replace(member, fees=money(member.fees - amount))
    world.put(paid)
    return paid


TOOLS = (
    find_member_by_email,
    find_member_by_name,
    get_member,
    list_loans,
    search_books,
    renew_loan,
    place_hold,
    pay_fees,
)
