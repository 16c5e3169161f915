"""What the clinic's patients want."""

from .account import connect_device, new_insurance, note_allergy, settle_balance
from .chains import freed_time, refill_at_new_supplier, visit_after_paying, visit_on_new_plan
from .hand_offs import clinical_question, emergency, lost_medicine
from .medicines import new_default_supplier, refill, transfer
from .questions import (
    cost_of_refills,
    first_to_run_out,
    flagged_readings,
    highest_reading,
    paid_for_visits,
    soonest_slot,
)
from .refusals import dangerous_pair, insurance_too_soon, no_longer_guardian, too_early
from .second_best import cancel_late, move_or_later, refill_or_request, transfer_or_other
from .visits import book_visit, cancel_visit, follow_up, follow_up_for_family, move_visit

INTENTS = (
    book_visit,
    follow_up,
    follow_up_for_family,
    move_visit,
    cancel_visit,
    cancel_late,
    move_or_later,
    refill,
    refill_or_request,
    transfer,
    transfer_or_other,
    new_default_supplier,
    new_insurance,
    connect_device,
    note_allergy,
    settle_balance,
    visit_on_new_plan,
    freed_time,
    visit_after_paying,
    refill_at_new_supplier,
    paid_for_visits,
    cost_of_refills,
    first_to_run_out,
    highest_reading,
    flagged_readings,
    soonest_slot,
    too_early,
    dangerous_pair,
    no_longer_guardian,
    insurance_too_soon,
    clinical_question,
    lost_medicine,
    emergency,
)
