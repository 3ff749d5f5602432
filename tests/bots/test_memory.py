"""What exists when answering starts is left alone by the collector until the end."""

import gc

from bots.memory import YOUNG, settled, share_arenas


def test_what_exists_at_the_start_is_frozen_until_the_end() -> None:
    frozen, threshold = gc.get_freeze_count(), gc.get_threshold()

    with settled():
        inside = gc.get_freeze_count(), gc.get_threshold()[0]

    assert inside[0] > frozen
    assert inside[1] == YOUNG
    assert gc.get_freeze_count() <= frozen
    assert gc.get_threshold() == threshold


def test_a_cycle_made_while_answering_is_still_found() -> None:
    with settled():
        cycle: list[object] = []
        cycle.append(cycle)
        del cycle

        assert gc.collect() >= 1


def test_sharing_pools_twice_does_no_harm() -> None:
    share_arenas()
    share_arenas()
