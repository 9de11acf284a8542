# SPDX-License-Identifier: Apache-2.0
"""Which figures there are, in the order of the page. One of a part that was not simulated is left out."""
from .over_time import timeline, traffic, traffic_by_row
from .studies import (all_gather_studies, contention, end_to_end, future, headlines, sensitivity_curves, tornado)
from .sublayers import all_gather, data_movement, pairs, phases, sublayers

MAKERS = (headlines, sublayers, phases, data_movement, traffic, contention, traffic_by_row, end_to_end, future, tornado,
          sensitivity_curves, all_gather, timeline, all_gather_studies, pairs)


def draw_all(found):
    return [figure for make in MAKERS if (figure := make(found))]
