// A complete bot plays a match over sessions: it survives cuts, reads refusals, and opens nonces.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"log"
	random "math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	pb "example.com/bots/gen/croupier/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

const silence = 30 * time.Second // a call or a session that is silent for longer is lost

type bot struct {
	seat            *pb.ChannelOpen   // holds the position to resume from
	nonces          map[string][]byte // by their hashes
	move            *pb.ChannelMove   // the last answer
	fallback        *pb.Move          // of the same decision
	result          *pb.MatchResult
	events, streams int
}

// choose returns one of the listed moves and the fallback at random. Put your own player here.
func choose(ask *pb.Decision) *pb.Move {
	moves := append(ask.Legal.GetMoves(), &pb.LegalMove{Move: ask.Fallback})
	return moves[random.IntN(len(moves))].Move
}

// promise makes a nonce, and returns its hash.
func (b *bot) promise() []byte {
	nonce := sha256.Sum256([]byte(rand.Text()))
	hash := sha256.Sum256(nonce[:])
	b.nonces[string(hash[:])] = nonce[:]
	return hash[:]
}

// wait pauses after a failed call, or exits if the call cannot succeed.
func wait(failure error) {
	failed, pause := status.Convert(failure), random.N(400*time.Millisecond)
	again := failed.Code() != codes.Unimplemented
	for _, detail := range failed.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo: // always the first one
			again = false
			log.Println("refused:", detail.Reason, detail.Metadata["rule"], failed.Message())
		case *errdetails.RetryInfo:
			again, pause = true, pause+detail.RetryDelay.AsDuration()
		}
	}
	if !again {
		log.Fatal(failure)
	}
	time.Sleep(pause)
}

// call repeats a unary call until it is answered. Requests have an id, so nothing is done twice.
func call[Q, A any](rpc func(context.Context, Q, ...grpc.CallOption) (A, error), request Q) A {
	ctx, cancel := context.WithTimeout(context.Background(), silence)
	answer, err := rpc(ctx, request)
	if cancel(); err != nil {
		wait(err)
		return call(rpc, request)
	}
	return answer
}

// play holds one session until the connection is lost, or the server ends the stream of the seat.
func (b *bot) play(sessions pb.SessionServiceClient) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	session, err := sessions.Session(ctx)
	out := &pb.SessionRequest{Hello: &pb.SessionHello{Client: "go/1"}, Opens: []*pb.ChannelOpen{b.seat}}
	for b.streams++; err == nil; watchdog.Reset(silence) {
		session.Send(out) // if this fails, Recv says why
		frame, failure := session.Recv()
		end := frame.GetEnd()
		out = &pb.SessionRequest{Acknowledged: frame.GetFrame(), HeartbeatEcho: frame.GetHeartbeat().GetHeartbeatId()}
		for _, item := range frame.GetItems() {
			if item.Refusal != nil {
				end = &pb.StreamEnd{Detail: item.Refusal.String(), RetryAfter: item.Refusal.RetryAfter}
			}
			switch update := item.Update.GetUpdate().(type) { // what is not named here is passed over
			case *pb.TableUpdate_Snapshot: // it stands for all events up to its number
				b.events = int(update.Snapshot.Sequence)
				b.seat.TableEpoch, b.seat.AfterSequence = update.Snapshot.Table.TableEpoch, update.Snapshot.Sequence
			case *pb.TableUpdate_Event:
				b.events, b.seat.AfterSequence = b.events+1, update.Event.Sequence
			case *pb.TableUpdate_NonceWanted:
				out.Nonces = []*pb.ChannelNonce{{Channel: 1, NextNonceHash: b.promise(),
					Nonce: b.nonces[string(update.NonceWanted.NonceHash)]}}
			case *pb.TableUpdate_Decision: // one that comes again gets the same answer
				if b.move.DecisionId != update.Decision.DecisionId {
					b.fallback, b.move = update.Decision.Fallback, &pb.ChannelMove{
						Channel: 1, DecisionId: update.Decision.DecisionId, Move: choose(update.Decision)}
				}
				out.Moves = []*pb.ChannelMove{b.move}
			case *pb.TableUpdate_MoveRefused: // the server does not ask again
				refusal := update.MoveRefused.Refusal
				log.Println("refused:", refusal.Reason, refusal.Rule, refusal.Detail)
				if time.Sleep(refusal.RetryAfter.AsDuration()); refusal.RetryAfter != nil || b.move.Move != b.fallback {
					b.move.Move, out.Moves = b.fallback, []*pb.ChannelMove{b.move}
				}
			case *pb.TableUpdate_Result:
				b.result = update.Result
			case *pb.TableUpdate_End:
				end = update.End
			}
		}
		if err = failure; end != nil && b.result == nil && end.RetryAfter == nil {
			log.Fatal("left: ", end)
		} else if end != nil {
			time.Sleep(end.RetryAfter.AsDuration())
			return
		}
	}
	wait(err)
}

func main() { // go run ./complete 127.0.0.1:7421 GAME_KIND_TRACTOR 3
	server, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: silence, Timeout: silence / 3}))
	if err != nil {
		log.Fatal(err)
	}
	b, tables := &bot{nonces: map[string][]byte{}, move: &pb.ChannelMove{}}, pb.NewTableServiceClient(server)
	others, _ := strconv.Atoi(os.Args[3])
	house := []*pb.SeatSpec{{Access: pb.SeatAccess_SEAT_ACCESS_HOUSE, HouseBot: "greedy"}}
	table := call(tables.CreateTable, &pb.CreateTableRequest{RequestId: rand.Text(),
		Spec:  &pb.TableSpec{Game: pb.GameKind(pb.GameKind_value[os.Args[2]])},
		Seats: append([]*pb.SeatSpec{{}}, slices.Repeat(house, others)...)}).Table.TableId
	ticket := call(tables.JoinTable, &pb.JoinTableRequest{RequestId: rand.Text(), TableId: table, NonceHash: b.promise()}).Ticket
	b.seat = &pb.ChannelOpen{Channel: 1, TableId: table, Ticket: ticket, ViewMode: pb.ViewMode_VIEW_MODE_EVENTS}
	for sessions := pb.NewSessionServiceClient(server); b.result == nil; {
		b.play(sessions)
	}
	log.Printf("result: %v table: %s events: %d last: %d streams: %d", b.result, table, b.events, b.seat.AfterSequence, b.streams)
}
