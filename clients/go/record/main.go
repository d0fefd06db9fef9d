// Fetches the record of a finished match, and shows that its hash is unchanged after a round trip
// through the generated types.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log"
	"os"

	recordpb "example.com/bots/gen/croupier/record/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

const hashField = 34 // bytes at the end of a record: tag, length, and its SHA-256

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() { // go run ./record 127.0.0.1:7421 TABLE_ID [FILE]
	server, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	check(err)
	records := recordpb.NewRecordServiceClient(server)
	stream, err := records.GetRecord(context.Background(), &recordpb.GetRecordRequest{TableId: os.Args[2]})
	check(err)
	var data []byte // keep these bytes: the hash is over them
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		data = append(data, part.Chunk...)
	}
	record := &recordpb.MatchRecord{}
	check(proto.Unmarshal(data, record))
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(record)
	check(err)
	for _, each := range [][]byte{data, again} {
		hash := sha256.Sum256(each[:len(each)-hashField])
		if !bytes.Equal(hash[:], record.Hash) {
			log.Fatalf("the hash of %d bytes is not that of the record", len(each))
		}
	}
	if len(os.Args) > 3 {
		check(os.WriteFile(os.Args[3], again, 0o600))
	}
	log.Printf("%d bytes, %d rows, hash %x: unchanged by a round trip", len(data), len(record.Rows), record.Hash)
}
