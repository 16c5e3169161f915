"""What customers want."""

from tau_emotion_gym.domains.airline.intents.booking import book_connection, book_trip
from tau_emotion_gym.domains.airline.intents.chains import (
    bags_after_upgrade,
    credit_after_certificate,
    gift_card_left,
    upgrade_moved_trip,
)
from tau_emotion_gym.domains.airline.intents.changes import (
    add_bags,
    add_insurance,
    cancel_trip,
    move_flights,
    upgrade_cabin,
)
from tau_emotion_gym.domains.airline.intents.compensation import delay_compensation
from tau_emotion_gym.domains.airline.intents.hand_offs import child_missing, group_trip, lost_bag, partly_flown
from tau_emotion_gym.domains.airline.intents.inform import (
    bag_quote,
    cheapest_return,
    connection_quote,
    credit_total,
    delay_minutes,
    refund_quote,
    upcoming_total,
    upgrade_quote,
)
from tau_emotion_gym.domains.airline.intents.passengers import correct_passenger
from tau_emotion_gym.domains.airline.intents.refusals import (
    late_insurance,
    move_basic_fare,
    refund_uncovered,
    replace_passenger,
    small_delay,
)
from tau_emotion_gym.domains.airline.intents.second_best import (
    bags_by_certificate,
    cancel_or_move,
    full_flight,
    move_basic_or_upgrade,
    upgrade_by_gift_card,
)

INTENTS = (
    upcoming_total,
    bag_quote,
    upgrade_quote,
    refund_quote,
    cheapest_return,
    connection_quote,
    credit_total,
    delay_minutes,
    cancel_trip,
    move_flights,
    upgrade_cabin,
    add_bags,
    add_insurance,
    correct_passenger,
    book_trip,
    book_connection,
    delay_compensation,
    upgrade_by_gift_card,
    cancel_or_move,
    full_flight,
    move_basic_or_upgrade,
    bags_by_certificate,
    refund_uncovered,
    move_basic_fare,
    late_insurance,
    small_delay,
    replace_passenger,
    partly_flown,
    lost_bag,
    group_trip,
    child_missing,
    bags_after_upgrade,
    upgrade_moved_trip,
    credit_after_certificate,
    gift_card_left,
)
