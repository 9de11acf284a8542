# SPDX-License-Identifier: Apache-2.0
"""Numbers and names of t3_registers.json, as every output writes them."""


def number(text):
    return int(text, 16)


def camel(name):
    """IRQ_STATUS -> IrqStatus."""
    return "".join(part.capitalize() for part in name.split("_"))


def full_name(array, register):
    """REG + WG_FIRST -> REG_WG_FIRST; an array of one nameless register is just its name."""
    return f"{array['name']}_{register['name']}" if register["name"] else array["name"]
