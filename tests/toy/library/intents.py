"""What members of the library want."""

from datetime import date

from tau_emotion_gym.kit import (
    Call,
    Fact,
    Goal,
    Kind,
    Output,
    Script,
    Situation,
    calculation,
    hand_over,
    intent,
    long_date,
    only,
    usd,
)
from tau_emotion_gym.world import World, cents

from . import stories
from .records import Book, Loan, Member
from .rules import FEES_THAT_BLOCK, MOST_RENEWALS
from .tools import held, renew_loan, search_books
from .world import BRANCHES

LATE_CENTS_PER_DAY = 25


def _loans(s: Situation) -> list[Loan]:
    return s.world.where(Loan, "member", s.customer.id)


def _loans_call(s: Situation) -> Call:
    return Call("list_loans", {"member_id": s.customer.id})


def _free_copies(world: World, title: str) -> tuple[Book, ...]:
    return search_books.function(world, title)


@intent(Kind.INFORM, **stories.LATE_COST)
def late_cost(s: Situation) -> Goal | None:
    """What the overdue books would cost if they came back today."""
    today = s.world.now.date()
    days = [(today - date.fromisoformat(loan.due)).days for loan in _loans(s)]
    late = [n for n in days if n > 0]
    if len(late) < 2:
        return None
    cost = cents(sum(late) * LATE_CENTS_PER_DAY)
    return Goal(
        calls=(_loans_call(s), calculation(f"({' + '.join(map(str, late))}) * 0.25")),
        outputs=(Output("money", str(cost)),),
        script=Script(report=f"If you bring the overdue books back today, they cost {usd(cost)} in total."),
    )


@intent(Kind.FULFIL, **stories.RENEW, weight=2)
def renew(s: Situation) -> Goal | None:
    """Keep a book for longer."""
    loans = [n for n in _loans(s) if n.renewals < MOST_RENEWALS and not held(s.world, n.book)]
    if not loans:
        return None
    loan = s.draw.pick(loans)
    due = renew_loan.run(s.world.fork(), renew_loan.bind({"loan_id": loan.id})).due
    return Goal(
        fill={"title": loan.title},
        facts=(Fact("title", loan.title),),
        calls=(_loans_call(s), Call("renew_loan", {"loan_id": loan.id})),
        outputs=(Output("date", due),),
        script=Script(
            propose=f'I will renew your loan of "{loan.title}" until {long_date(due)}.',
            report=f'Your loan of "{loan.title}" has been renewed. It is now due on {long_date(due)}.',
        ),
    )


@intent(Kind.DENY, **stories.RENEW_AGAIN, weight=2)
def renew_again(s: Situation) -> Goal | None:
    """Renew a book that has been renewed as often as the rules allow."""
    named = {goal.fill.get("title") for goal in s.earlier}
    loans = [n for n in _loans(s) if n.renewals == MOST_RENEWALS and n.title not in named]
    if not loans:
        return None
    loan = s.draw.pick(loans)
    return Goal(
        fill={"title": loan.title},
        facts=(Fact("title", loan.title),),
        calls=(_loans_call(s),),
        outputs=(Output("date", loan.due),),
        script=Script(
            refuse=f'I can\'t renew "{loan.title}" again, because it has been renewed twice already. '
            f"It stays due on {long_date(loan.due)}."
        ),
        insists=s.draw.below(3),
    )


@intent(Kind.FULFIL, **stories.PAY, weight=2)
def pay(s: Situation) -> Goal | None:
    """Pay all fees."""
    member: Member = s.customer
    if not member.fees:
        return None
    return Goal(
        calls=(
            Call("get_member", {"member_id": member.id}),
            Call("pay_fees", {"member_id": member.id, "amount": float(member.fees)}),
        ),
        script=Script(
            propose=f"I will charge the card on file {usd(member.fees)} to pay all your fees.",
            report=f"Your payment of {usd(member.fees)} has been charged, and you owe nothing more.",
        ),
    )


@intent(Kind.FULFIL, **stories.HOLD_AFTER_PAYING, follows=("pay",))
def hold_after_paying(s: Situation) -> Goal | None:
    """Place a hold that the fees would have blocked."""
    before = s.world.base.tables[Member][s.customer.id]
    if before.fees < FEES_THAT_BLOCK:  # type: ignore[attr-defined]
        return None
    title = s.draw.pick(list(s.world.base.index(Book, "title")))
    return _hold(s, title, title)


@intent(Kind.CONDITIONAL, **stories.HOLD_OR_OTHER)
def hold_or_other(s: Situation) -> Goal | None:
    """Place a hold on a title, or on another one when no copy is free."""
    if s.customer.fees >= FEES_THAT_BLOCK:
        return None
    titles = s.draw.shuffled(list(s.world.base.index(Book, "title")))
    wish = next((title for title in titles if not _free_copies(s.world, title)), None)
    return _hold(s, wish, s.draw.pick(titles)) if wish else None


def _hold(s: Situation, wish: str, title: str) -> Goal | None:
    """A hold on the only free copy of `title` at a branch, after a vain search for another wish."""
    pickup = s.draw.pick(BRANCHES)
    book = only(copy for copy in _free_copies(s.world, title) if copy.branch == pickup)
    if book is None:
        return None
    titles = tuple(dict.fromkeys((wish, title)))
    hold = {"member_id": s.customer.id, "book_id": book.id, "pickup": pickup}
    return Goal(
        fill={"title": wish, "other": title},
        facts=(*(Fact("title", name) for name in titles), Fact("pickup", pickup)),
        calls=(*(Call("search_books", {"title": name}) for name in titles), Call("place_hold", hold)),
        script=Script(
            propose=f'I will place a hold on "{title}" for pickup at {pickup}.',
            report=f'Your hold on "{title}" has been placed at {pickup}.',
            refuse=f'I can\'t hold "{wish}", because every copy is on loan or on hold.' if wish != title else "",
        ),
        insists=s.draw.below(2) if wish != title else 0,
    )


@intent(Kind.HAND_OFF, **stories.LOST)
def lost(s: Situation) -> Goal | None:
    """A book was lost, which only a human can settle."""
    loans = _loans(s)
    if not loans:
        return None
    loan = s.draw.pick(loans)
    return Goal(
        fill={"title": loan.title},
        facts=(Fact("title", loan.title),),
        calls=(hand_over("lost_item", "The member has lost a book."),),
        script=Script(report=f'I am handing you over to a colleague, who will settle the loss of "{loan.title}".'),
    )


@intent(Kind.HAND_OFF, **stories.STUCK, emergency=True)
def stuck(s: Situation) -> Goal | None:
    """Somebody is stuck in the lift."""
    branch = s.draw.pick(BRANCHES)
    summary = f"Somebody is stuck in the lift at {branch}."
    return Goal(
        fill={"branch": branch},
        calls=(hand_over("emergency", summary),),
        script=Script(report="I am handing you over to a colleague, who will send somebody at once."),
    )


INTENTS = (late_cost, renew, renew_again, pay, hold_after_paying, hold_or_other, lost, stuck)
