"""What the shop's customers want."""

from tau_emotion_gym.domains.retail.intents.chained import gift_card_after, pay_with_refund, voucher_on_change
from tau_emotion_gym.domains.retail.intents.delivered import (
    exchange_item,
    return_everything,
    return_item,
    return_or_exchange,
)
from tau_emotion_gym.domains.retail.intents.handovers import dangerous_item, high_value_return, missing_parcel
from tau_emotion_gym.domains.retail.intents.payments import gift_card_or_other, switch_payment, use_voucher
from tau_emotion_gym.domains.retail.intents.pending import (
    cancel_or_redirect,
    cancel_unwanted,
    change_option,
    cheapest_swap,
    move_house,
    option_or_second,
    redirect_order,
)
from tau_emotion_gym.domains.retail.intents.questions import (
    cheapest_in_stock,
    gift_card_rest,
    price_change,
    refund_estimate,
    return_deadline,
    still_to_come,
)
from tau_emotion_gym.domains.retail.intents.refusals import (
    cancel_shipped,
    return_too_late,
    second_change,
    voucher_refused,
)

INTENTS = (
    cancel_unwanted, redirect_order, move_house, switch_payment, change_option, cheapest_swap, use_voucher,
    return_item, return_everything, exchange_item, cancel_or_redirect, gift_card_or_other, option_or_second,
    return_or_exchange, return_too_late, cancel_shipped, second_change, voucher_refused, still_to_come,
    refund_estimate, price_change, gift_card_rest, cheapest_in_stock, return_deadline, high_value_return,
    missing_parcel, dangerous_item, voucher_on_change, gift_card_after, pay_with_refund,
)  # fmt: skip
