"""What is the same in every world: plans, medicines, interactions, and the names of pharmacies."""

from functools import cache
from pathlib import Path

import msgspec

from tau_emotion_gym.kit import read_data

from .records import DeviceKind, InsurancePlan, Interaction, Medicine, Relation


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `catalogue.json`.

    Attributes:
        plans: the insurance plans, two for each insurer.
        medicines: what is prescribed.
        interactions: pairs of medicines. The pairs are well known from medicine labels; the severities are
            this project's and no medical reference.
        pharmacies: names of pharmacies with branches.
        branches: the streets of their branches.
        mail_order: names of pharmacies that deliver by mail.
        relatives: relation → first names that go with it.
        device_levels: kind of device → usual lowest and highest reading.
    """

    plans: tuple[InsurancePlan, ...]
    medicines: tuple[Medicine, ...]
    interactions: tuple[Interaction, ...]
    pharmacies: tuple[str, ...]
    branches: tuple[str, ...]
    mail_order: tuple[str, ...]
    relatives: dict[Relation, tuple[str, ...]]
    device_levels: dict[DeviceKind, tuple[int, int]]


@cache
def catalogue() -> Catalogue:
    """The catalogue, read once."""
    return read_data(Path(__file__).with_name("catalogue.json"), Catalogue)
