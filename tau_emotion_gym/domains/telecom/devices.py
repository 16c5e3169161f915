"""Making the phones on the lines, some of them with a fault."""

from tau_emotion_gym.kit import Registry

from .records import Device, Line

MODELS = ("Nova 5", "Nova 5", "Nova 6", "Orbit X", "Orbit Mini", "Lumen S")
FAULTS = ("", "sim_registered", "apn_correct", "mobile_data_on", "network_mode_correct")


def make_device(registry: Registry, line: Line) -> Device:
    """A phone with at most one fault that shows at home; whether roaming is on matters only abroad."""
    draw = registry.draw
    fault = draw.pick(FAULTS)
    return Device(
        id=registry.digits("D", 7),
        line=line.id,
        model=draw.pick(MODELS),
        sim_registered=fault != "sim_registered",
        apn_correct=fault != "apn_correct",
        mobile_data_on=fault != "mobile_data_on",
        network_mode_correct=fault != "network_mode_correct",
        roaming_on=draw.chance(0.5),
    )
