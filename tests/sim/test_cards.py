"""Cards in messages, as the validator of Private finds them."""

from __future__ import annotations

from croupier.v1 import cards_pb2, table_pb2, tractor_pb2
from tests.sim.promises.cards import leaves

TRIED = (
    cards_pb2.CARD_JACK_OF_SPADES,
    cards_pb2.CARD_QUEEN_OF_SPADES,
    cards_pb2.CARD_KING_OF_SPADES,
    cards_pb2.CARD_FOUR_OF_HEARTS,
)


def test_private_cards_across_a_border_of_fields_are_no_list() -> None:
    """What a throw failed with is followed by the points of the trick, whose number is that of the
    queen of hearts: somebody's hand, by chance."""
    hand = bytes((*TRIED, cards_pb2.CARD_QUEEN_OF_HEARTS))
    update = table_pb2.TableUpdate()
    trick = update.decision.view.tractor.public_view.trick
    trick.plays.add(failed_throw=tractor_pb2.TractorFailedThrow(tried=TRIED))
    trick.points = 10
    assert hand in update.SerializeToString(deterministic=True)
    assert hand[:4] in set(leaves(update))
    assert not any(hand in leaf for leaf in leaves(update))


def test_private_a_hand_in_any_field_is_found() -> None:
    hand = bytes(TRIED)
    shown, hidden, word = (table_pb2.TableUpdate() for _ in range(3))
    shown.decision.view.tractor.hand.extend(
        (cards_pb2.CARD_TEN_OF_SPADES, *TRIED, cards_pb2.CARD_QUEEN_OF_HEARTS)
    )
    hidden.decision.legal.patterns.add().cards.pool.extend(TRIED)
    word.end.detail = f"for {hand.decode()} all fell"
    assert all(any(hand in leaf for leaf in leaves(one)) for one in (shown, hidden, word))
