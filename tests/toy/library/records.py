"""The tables of the library."""

from typing import Annotated, ClassVar, Literal

from tau_emotion_gym.world import Date, Money, Record, Ref

MemberId = Annotated[str, Ref("member")]
BookId = Annotated[str, Ref("book")]
LoanId = Annotated[str, Ref("loan")]
Branch = Literal["Riverside", "Hillside", "Old Town"]


class Member(Record, frozen=True):
    """Somebody with a library card."""

    table: ClassVar[str] = "members"

    id: MemberId
    first_name: str
    last_name: str
    email: str
    zip: str
    fees: Money


class Book(Record, frozen=True):
    """One copy of a title."""

    table: ClassVar[str] = "books"

    id: BookId
    title: str
    author: str
    branch: Branch


class Loan(Record, frozen=True):
    """A copy in a member's hands."""

    table: ClassVar[str] = "loans"

    id: LoanId
    member: MemberId
    book: BookId
    title: str
    due: Date
    renewals: int


class Hold(Record, frozen=True):
    """A copy kept back for a member at a branch."""

    table: ClassVar[str] = "holds"

    id: Annotated[str, Ref("hold")]
    member: MemberId
    book: BookId
    pickup: Branch
