// A standby bot waits for hosts to reserve seats for its key, and plays each of them. As an entrant of
// `croupier play` and `croupier ladder` (cmd:./standby) it plays the seats that it is invited to.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"log"
	random "math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	pb "example.com/bots/gen/croupier/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const silence = 30 * time.Second // a call or a stream that is silent for longer is lost

type key string // an API key, sent with every call, and only over TLS

func (k key) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(k)}, nil
}

func (key) RequireTransportSecurity() bool { return true }

// choose returns one of the listed moves and the fallback at random. Put your own player here.
func choose(ask *pb.Decision) *pb.Move {
	moves := append(ask.Legal.GetMoves(), &pb.LegalMove{Move: ask.Fallback})
	return moves[random.IntN(len(moves))].Move
}

// call makes a unary call, again and again while the server is away.
func call[Q, A any](ctx context.Context, rpc func(context.Context, Q, ...grpc.CallOption) (A, error), request Q) (A, error) {
	for {
		limited, cancel := context.WithTimeout(ctx, silence)
		answer, err := rpc(limited, request)
		cancel()
		if status.Code(err) != codes.Unavailable {
			return answer, err
		}
		time.Sleep(random.N(400 * time.Millisecond))
	}
}

// receive passes what a stream sends to handle until it ends, or is silent for too long.
func receive[A any](ctx context.Context, open func(context.Context) (grpc.ServerStreamingClient[A], error), handle func(*A)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	stream, err := open(ctx)
	for err == nil {
		var received *A
		if received, err = stream.Recv(); err == nil {
			watchdog.Reset(silence)
			handle(received)
		}
	}
	return err
}

type bot struct {
	tables pb.TableServiceClient
	play   pb.PlayServiceClient
	seats  pb.SeatServiceClient
}

func connect(address string, options ...grpc.DialOption) *bot {
	server, err := grpc.NewClient(address, append(options, grpc.WithKeepaliveParams(
		keepalive.ClientParameters{Time: silence, Timeout: silence / 3}))...)
	if err != nil {
		log.Fatal(err)
	}
	return &bot{pb.NewTableServiceClient(server), pb.NewPlayServiceClient(server), pb.NewSeatServiceClient(server)}
}

// sit takes a seat, and plays the match to its end.
func (b *bot) sit(joining *pb.JoinTableRequest) error {
	nonce := sha256.Sum256([]byte(rand.Text()))
	hash := sha256.Sum256(nonce[:])
	joining.RequestId, joining.NonceHash = rand.Text(), hash[:]
	joined, err := call(context.Background(), b.tables.JoinTable, joining)
	if err != nil {
		return err
	}
	id := joining.TableId
	ctx := metadata.AppendToOutgoingContext(context.Background(), "croupier-ticket", joined.Ticket)
	open := &pb.ChannelOpen{Channel: 1, TableId: id, Ticket: joined.Ticket}
	for over := false; !over; time.Sleep(random.N(400 * time.Millisecond)) {
		err := receive(ctx, func(ctx context.Context) (grpc.ServerStreamingClient[pb.WatchTablesResponse], error) {
			return b.play.WatchTables(ctx, &pb.WatchTablesRequest{Opens: []*pb.ChannelOpen{open}})
		}, func(frame *pb.WatchTablesResponse) {
			for _, item := range frame.Items {
				switch update := item.Update.GetUpdate().(type) { // what is not named here is skipped
				case *pb.TableUpdate_Snapshot:
					open.TableEpoch, open.AfterSequence = update.Snapshot.Table.TableEpoch, update.Snapshot.Sequence
				case *pb.TableUpdate_NonceWanted:
					call(ctx, b.play.OpenNonce, &pb.OpenNonceRequest{TableId: id, Nonce: nonce[:]})
				case *pb.TableUpdate_Decision:
					ask := update.Decision
					for _, move := range []*pb.Move{choose(ask), ask.Fallback} { // a refused move is replaced
						request := &pb.SubmitMoveRequest{TableId: id, DecisionId: ask.DecisionId, Move: move}
						if _, err := call(ctx, b.play.SubmitMove, request); err == nil {
							break
						}
					}
				case *pb.TableUpdate_Result:
					log.Println(id, joined.Seat, update.Result.Reason)
				case *pb.TableUpdate_End:
					over = update.End.RetryAfter == nil
				}
				over = over || item.Refusal != nil && item.Refusal.RetryAfter == nil
			}
		})
		if code := status.Code(err); code == codes.Unauthenticated || code == codes.PermissionDenied {
			return err
		}
	}
	return nil
}

// invited plays the seats of all invitations that come on a pipe, one JSON object a line.
func invited(pipe *os.File) {
	var playing sync.WaitGroup
	defer playing.Wait()
	servers := map[string]*bot{}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		var invite struct {
			Address    string
			TableID    string `json:"table_id"`
			Seat       uint32
			InviteCode string `json:"invite_code"`
		}
		if err := json.Unmarshal(lines.Bytes(), &invite); err != nil {
			log.Fatal(err)
		}
		b := servers[invite.Address]
		if b == nil {
			b = connect(invite.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
			servers[invite.Address] = b
		}
		playing.Go(func() {
			joining := &pb.JoinTableRequest{TableId: invite.TableID, Seat: &invite.Seat, InviteCode: invite.InviteCode}
			if err := b.sit(joining); err != nil {
				log.Println(invite.TableID, err)
			}
		})
	}
}

// standby plays the seats that hosts reserve for the key, and never returns.
func (b *bot) standby() {
	type place struct {
		table string
		seat  uint32
	}
	var playing sync.Map // seats that are played already
	for {
		err := receive(context.Background(), func(ctx context.Context) (grpc.ServerStreamingClient[pb.WatchSeatsResponse], error) {
			return b.seats.WatchSeats(ctx, &pb.WatchSeatsRequest{})
		}, func(found *pb.WatchSeatsResponse) {
			seat := found.GetSeat()
			if seat == nil {
				return
			}
			at := place{seat.Table.TableId, seat.Seat}
			if _, known := playing.LoadOrStore(at, true); known {
				return
			}
			go func() {
				defer playing.Delete(at)
				lost := seat.State != pb.SeatAssignmentState_SEAT_ASSIGNMENT_STATE_RESERVED
				joining := &pb.JoinTableRequest{TableId: at.table, Seat: &at.seat, ReplaceTicket: lost}
				if err := b.sit(joining); err != nil {
					log.Println(at, err)
				}
			}()
		})
		if code := status.Code(err); code == codes.Unauthenticated || code == codes.PermissionDenied {
			log.Fatal(err)
		}
		time.Sleep(time.Second)
	}
}

func main() { // CROUPIER_KEY=crp_... go run ./standby games.example:443 [ca.pem]
	if pipe, err := strconv.Atoi(os.Getenv("CROUPIER_INVITES_FD")); err == nil {
		invited(os.NewFile(uintptr(pipe), "invitations"))
		return
	}
	tls := credentials.NewTLS(nil)
	if len(os.Args) > 2 {
		var err error
		if tls, err = credentials.NewClientTLSFromFile(os.Args[2], ""); err != nil {
			log.Fatal(err)
		}
	}
	connect(os.Args[1], grpc.WithTransportCredentials(tls),
		grpc.WithPerRPCCredentials(key(os.Getenv("CROUPIER_KEY")))).standby()
}
