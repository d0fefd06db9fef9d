// The messages of a record, copied from the protos by hand: field number, name, mode, type.
//
// Parts that are not looked into (options, clock) are bytes: their hash pins them. Must not be put
// here: what anything means.

import { schemas } from "./wire.mjs";

const all = schemas(`
OptionText
1 name string
2 value string

Reveal
1 secret bytes
2 nonces many bytes
3 root bytes
4 seed opt uint
5 abandoned many AbandonedSecret
6 decks many Deck

AbandonedSecret
1 secret bytes
2 nonces many bytes

Timestamp
1 seconds int
2 nanos int

Duration
1 seconds int
2 nanos int

Player
1 player_id string
2 display_name string
3 kind enum
4 version string

SeatInfo
1 seat uint
2 access enum
3 player Player
4 team uint
5 nonce_hash bytes
6 seat_epoch uint

MatchDeal

BoardDeal
1 board_id string
2 root bytes
3 commitment bytes
4 table_count uint
5 shared_principals bool

FixedDeal
1 seed opt uint
2 decks many Deck

Deck
1 cards many enum

DealSource
*1 match MatchDeal
*2 board BoardDeal
*3 fixed FixedDeal

SeatOutcome
1 seat uint
2 score sint
3 place uint

MatchResult
1 reason enum
2 seats many SeatOutcome
3 seat_at_fault opt uint
4 detail string
5 aborted_by enum

ClockSpec
1 base Duration
2 increment Duration
3 per_move Duration
4 window_time Duration
5 max_strikes uint
6 on_timeout enum
7 disconnect_grace Duration
8 start_timeout Duration

TableSpec
1 game enum
2 ruleset string
3 options opt bytes
4 clock ClockSpec
5 deal_source DealSource
6 legal_mode enum
7 absence enum
8 rated bool
9 shared_seats bool
10 start_mode enum
11 visibility enum
12 spectator_delay opt bytes
13 title string

Table
1 table_id string
2 table_epoch uint
3 spec TableSpec
4 ruleset_hash bytes
5 rules_version uint
6 status enum
7 seats many SeatInfo
8 commitment bytes
9 sequence uint
10 endpoint string
11 create_time Timestamp
12 result MatchResult

TractorDeclaration
1 seat uint
2 cards many enum
3 suit enum

TractorFailedThrow
1 tried many enum
2 penalty uint

TractorPlayed
1 seat uint
2 cards many enum
3 failed_throw TractorFailedThrow

TractorTrumps
1 rank enum
2 suit enum

TractorSuitOrder
1 suit enum
2 cards many enum
3 strengths many uint

TractorLotDrawn
1 first_drawer uint

TractorDealStarted
1 deal uint
2 redeals uint
3 trump_rank enum
4 first_drawer uint
5 starter opt uint
6 levels many enum

TractorCardsDrawn
1 hand_sizes many uint

TractorWindowClosed
1 declaration TractorDeclaration

TractorKittyTurned
1 cards many enum
2 suit enum

TractorCalled
1 seat uint
2 points uint

TractorAuctionEnded
1 declaring_team uint
2 bid uint
3 trump_rank enum

TractorShowEnded
1 starter uint
2 winning_seat uint
3 points uint
4 opponents_points sint

TractorTrumpsFixed
1 trumps TractorTrumps
2 starter uint
3 declaring_team uint
4 order many TractorSuitOrder

TractorKittyMoved
1 seat uint
2 count uint

TractorTrickWon
1 winning_seat uint
2 points uint
3 opponents_points sint

TractorCardsPlayed
1 play TractorPlayed
2 trick_won TractorTrickWon

TractorDealResult
1 deal uint
2 starter uint
3 declaring_team uint
4 trumps TractorTrumps
5 trick_points sint
6 kitty many enum
7 kitty_multiplier uint
8 kitty_bonus uint
9 total uint
10 winning_team opt uint
11 levels_gained uint
12 levels many enum
13 next_starter uint
14 bid uint
15 last_trick_winning_seat uint

TractorEvent
*1 lot_drawn TractorLotDrawn
*2 deal_started TractorDealStarted
*3 cards_drawn TractorCardsDrawn
*4 window_closed TractorWindowClosed
*5 kitty_turned TractorKittyTurned
*6 called TractorCalled
*7 auction_ended TractorAuctionEnded
*8 card_shown TractorPlayed
*9 show_ended TractorShowEnded
*10 trumps_fixed TractorTrumpsFixed
*11 kitty_taken TractorKittyMoved
*12 kitty_buried TractorKittyMoved
*13 cards_played TractorCardsPlayed
*14 deal_scored TractorDealResult

Nothing

Cards
1 cards many enum

CallPoints
1 points uint

OneCard
1 card enum

NameTrumps
1 suit enum

TractorMove
*1 decline Nothing
*2 declare Cards
*3 call CallPoints
*4 show OneCard
*5 name_trumps NameTrumps
*6 bury Cards
*7 play Cards

TractorPrivateEvent
*1 drawn Cards
*2 answer TractorMove
*3 taken Cards
*4 buried Cards

TongitsLaidOff
1 seat uint
2 cards many enum

TongitsMeld
1 number uint
2 seat uint
3 cards many enum
4 taken opt enum
5 turned_down bool
6 lay_offs many TongitsLaidOff

TongitsAnswered
1 seat uint
2 challenged bool
3 unasked bool

TongitsPayment
1 seat uint
2 base uint
3 aces uint
4 specials uint
5 burned uint
6 fold_penalty uint

TongitsSeatResult
1 seat uint
2 burned bool
3 shown bool
4 hand many enum
5 secret_fours many enum
6 deadwood uint
7 settlement sint
8 chips sint

TongitsDealResult
1 deal uint
2 dealer uint
3 ending enum
4 winning_seat opt uint
5 caller opt uint
6 challengers many uint
7 seats many TongitsSeatResult
8 payments many TongitsPayment
9 jackpot uint
10 pot uint
11 streak uint
12 next_dealer uint

Dealer
1 dealer uint

TongitsDealStarted
1 deal uint
2 dealer uint
3 ante uint
4 pot uint

TongitsStockDrawn
1 seat uint
2 stock_size uint

TongitsDiscardTaken
1 seat uint
2 card enum
3 meld TongitsMeld

TongitsMeldExposed
1 meld TongitsMeld

OneSeat
1 seat uint

TongitsCardsLaidOff
1 meld uint
2 laid_off TongitsLaidOff

TongitsDiscarded
1 seat uint
2 card enum

TongitsPotSplit
1 share uint
2 chips many sint

TongitsEvent
*1 lot_drawn Dealer
*2 deal_started TongitsDealStarted
*3 stock_drawn TongitsStockDrawn
*4 discard_taken TongitsDiscardTaken
*5 meld_exposed TongitsMeldExposed
*6 secret_four_laid OneSeat
*7 cards_laid_off TongitsCardsLaidOff
*8 discarded TongitsDiscarded
*9 turn_ended OneSeat
*10 draw_called OneSeat
*11 answered TongitsAnswered
*12 deal_scored TongitsDealResult
*13 pot_split TongitsPotSplit

OneRank
1 rank enum

TongitsPrivateEvent
*1 dealt Cards
*2 drawn Cards
*3 laid OneRank

TakeDiscard
1 cards many enum
2 meld opt uint

LayOff
1 meld uint
2 cards many enum

TongitsMove
*1 draw_stock Nothing
*2 take_discard TakeDiscard
*3 call_draw Nothing
*4 meld Cards
*5 secret_four OneRank
*6 lay_off LayOff
*7 discard OneCard
*8 end_turn Nothing
*9 fold Nothing
*10 challenge Nothing

PokexCalled
1 seat uint
2 tricks uint

PokexPlayed
1 seat uint
2 cards many enum

PokexPokerHand
1 category enum
2 ranks many uint
3 wilds_used uint

PokexTrickEnded
1 winning_team opt uint
2 hands many PokexPokerHand
3 counted uint

PokexDealStarted
1 deal uint
2 dealer uint
3 center many enum
4 totals many sint

PokexAuctionEnded
1 declarer opt uint
2 bid uint

PokexRankNamed
1 seat uint
2 rank enum

PokexCardsPlayed
1 play PokexPlayed
2 center opt enum
3 trick_ended PokexTrickEnded

PokexDealResult
1 deal uint
2 dealer uint
3 declarer opt uint
4 bid uint
5 passed_out bool
6 wild_rank opt enum
7 tricks many uint
8 points many sint
9 totals many sint

PokexEvent
*1 lot_drawn Dealer
*2 deal_started PokexDealStarted
*3 called PokexCalled
*4 auction_ended PokexAuctionEnded
*5 rank_named PokexRankNamed
*6 cards_played PokexCardsPlayed
*7 deal_scored PokexDealResult

PokexPrivateEvent
*1 dealt Cards

PokexBid
1 tricks uint

PokexPlay
1 cards many enum
2 center opt enum

PokexMove
*1 decline Nothing
*2 bid PokexBid
*3 name_rank OneRank
*4 play PokexPlay

Move
*1 tractor TractorMove
*2 tongits TongitsMove
*3 pokex PokexMove

GameEvent
*1 tractor TractorEvent
*2 tongits TongitsEvent
*3 pokex PokexEvent

GamePrivateEvent
*1 tractor TractorPrivateEvent
*2 tongits TongitsPrivateEvent
*3 pokex PokexPrivateEvent

TableCreated
1 table Table

SeatJoined
1 seat SeatInfo

SeatsFilled
1 seats many SeatInfo

SeatNoShow
1 seat uint
2 commitment bytes

SeatTimedOut
1 seat uint
2 strikes uint

SeatClock
1 seat uint
2 remaining Duration
3 strikes opt uint
4 running bool
5 move_left Duration

TableEvent
1 sequence uint
2 time Timestamp
3 ignorable bool
*4 table_created TableCreated
*5 seat_joined SeatJoined
*6 seat_left OneSeat
*7 seats_filled SeatsFilled
*8 nonce_opened OneSeat
*9 match_started Nothing
*10 game GameEvent
*11 seat_timed_out SeatTimedOut
*12 match_ended MatchResult
*13 table_halted Nothing
14 clocks many SeatClock
15 private_part GamePrivateEvent
*16 seat_no_show SeatNoShow

ChanceInput
1 outcome many uint

MoveInput
1 seat uint
2 decision_id string
3 move Move
4 timed_out bool
5 charged Duration
6 asked_time Timestamp
7 answered_time Timestamp
8 absent Duration

Input
*1 chance ChanceInput
*2 move MoveInput
*3 answer MoveInput
*4 window Nothing

PrivatePart
1 seat uint
2 part bytes

Row
1 sequence uint
2 public_part bytes
3 private_parts many PrivatePart
4 input Input
5 hash bytes

MatchRecord
1 format uint
2 table Table
3 options many OptionText
4 reveal Reveal
5 rows many Row
6 result MatchResult
7 hash bytes
`);

export const MatchRecord = all.get("MatchRecord");
export const TableEvent = all.get("TableEvent");

export const GAMES = { 1: "tractor", 2: "tongits", 3: "pokex" };
export const END_REASONS = [
  "", "FINISHED", "FORFEIT", "CONCEDED", "ABORTED", "NO_SHOW", "", "HALTED", "ADJUDICATED",
];
