"""Boards follow from the contest's seed, and from nothing else."""

from __future__ import annotations

import hashlib

from croupier_server.contest.boards import board, bot_seed


def test_a_board_is_the_documented_hash() -> None:
    fields = [b"croupier contest board 1", b"7", b"12"]
    data = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    made = board(7, 12)
    assert made.root == hashlib.sha256(data).digest()
    assert made.commitment == hashlib.sha256(made.root).digest()
    assert made.board_id == "board-13"


def test_fields_do_not_run_into_each_other() -> None:
    assert board(1, 23).root != board(12, 3).root


def test_roots_differ_between_boards_and_seeds() -> None:
    roots = {board(seed, number).root for seed in range(20) for number in range(20)}
    assert len(roots) == 400


def test_a_bots_seed_differs_by_entrant_board_and_seating() -> None:
    seeds = {
        bot_seed(5, entrant, number, seating)
        for entrant in range(3)
        for number in range(10)
        for seating in range(6)
    }
    assert len(seeds) == 180
    assert all(0 <= seed < 2**63 for seed in seeds)
