#!/usr/bin/env bash
# Plays one deal from the command line with `buf curl` or `grpcurl`, which learn the contract from
# the server by reflection. Needs jq.
#
#     deal.sh buf|grpcurl [ADDRESS] [GAME] [NUMBER_OF_HOUSE_BOTS]
set -euo pipefail
TOOL=$1 ADDRESS=${2:-127.0.0.1:7421} GAME=${3:-GAME_KIND_TRACTOR} HOUSE_BOTS=${4:-3}

# call METHOD REQUEST: seat 0 is left out of the JSON unless defaults are emitted.
call() {
  if [ "$TOOL" = buf ]; then
    buf curl --protocol grpc --http2-prior-knowledge --emit-defaults -d "$2" \
      -H "croupier-ticket: ${TICKET:-}" "http://$ADDRESS/croupier.v1.$1"
  else
    grpcurl -plaintext -emit-defaults -d "$2" \
      -H "croupier-ticket: ${TICKET:-}" "$ADDRESS" "croupier.v1.$1"
  fi
}

case $GAME in
  *TONGITS) OPTIONS='{"tongits": {"maxHands": 1}}' ;;
  *POKEX) OPTIONS='{"pokex": {"maxDeals": 1}}' ;;
  *) OPTIONS='{"tractor": {"maxDeals": 1}}' ;;
esac
NEW=$(jq -n --arg game "$GAME" --argjson options "$OPTIONS" --argjson others "$HOUSE_BOTS" \
  '{spec: {$game, $options},
    seats: [{}, (range($others) | {access: "SEAT_ACCESS_HOUSE", houseBot: "greedy"})]}')
TABLE=$(call TableService/CreateTable "$NEW" | jq .table.tableId)
JOINED=$(call TableService/JoinTable '{"tableId": '"$TABLE"', "player": {"displayName": "me"}}')
TICKET=$(jq -r .ticket <<<"$JOINED")
echo "seat $(jq .seat <<<"$JOINED")"

while true; do
  VIEW=$(call PlayService/GetSeatView '{"tableId": '"$TABLE"'}')
  if jq -e '.snapshot.table.result // empty' <<<"$VIEW"; then break; fi
  MOVE=$(jq -c '.decision // empty | {decisionId, move: .fallback}' <<<"$VIEW")
  if [ -z "$MOVE" ]; then continue; fi
  call PlayService/SubmitMove '{"tableId": '"$TABLE, ${MOVE#\{}" | jq -c .accepted
done
