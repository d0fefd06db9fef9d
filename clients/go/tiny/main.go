// The smallest bot plays one match against house bots. It answers with each decision's fallback.
package main

import (
	"context"
	"log"
	"os"
	"slices"
	"strconv"

	pb "example.com/bots/gen/croupier/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() { // go run ./tiny 127.0.0.1:7421 GAME_KIND_TRACTOR 3
	server := must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials())))
	tables, play := pb.NewTableServiceClient(server), pb.NewPlayServiceClient(server)
	ctx := context.Background()
	house := []*pb.SeatSpec{{Access: pb.SeatAccess_SEAT_ACCESS_HOUSE, HouseBot: "greedy"}}
	made := must(tables.CreateTable(ctx, &pb.CreateTableRequest{
		Spec:  &pb.TableSpec{Game: pb.GameKind(pb.GameKind_value[os.Args[2]])},
		Seats: append([]*pb.SeatSpec{{}}, slices.Repeat(house, must(strconv.Atoi(os.Args[3])))...)}))
	seat := must(tables.JoinTable(ctx, &pb.JoinTableRequest{TableId: made.Table.TableId}))
	ctx = metadata.AppendToOutgoingContext(ctx, "croupier-ticket", seat.Ticket)
	stream := must(play.WatchTable(ctx, &pb.WatchTableRequest{TableId: made.Table.TableId}))
	for {
		update := must(stream.Recv()).Update
		if ask := update.GetDecision(); ask != nil {
			must(play.SubmitMove(ctx, &pb.SubmitMoveRequest{
				TableId: made.Table.TableId, DecisionId: ask.DecisionId, Move: ask.Fallback}))
		} else if result := update.GetResult(); result != nil {
			log.Println(result)
			break
		}
	}
}
