package bots;

import croupier.v1.*;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.util.Collections;

/** The smallest bot plays one match against house bots, with each decision's fallback. */
public class Tiny {
  public static void main(String[] args) { // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
    var server = Grpc.newChannelBuilder(args[0], InsecureChannelCredentials.create()).build();
    var tables = TableServiceGrpc.newBlockingStub(server);
    var house = SeatSpec.newBuilder().setAccess(SeatAccess.SEAT_ACCESS_HOUSE).setHouseBot("greedy");
    var table = tables.createTable(CreateTableRequest.newBuilder()
        .setSpec(TableSpec.newBuilder().setGame(GameKind.valueOf(args[1])))
        .addSeats(SeatSpec.getDefaultInstance()) // yours
        .addAllSeats(Collections.nCopies(Integer.parseInt(args[2]), house.build()))
        .build()).getTable().getTableId();
    var joined = tables.joinTable(JoinTableRequest.newBuilder().setTableId(table).build());
    var headers = new Metadata();
    headers.put(Metadata.Key.of("croupier-ticket", Metadata.ASCII_STRING_MARSHALLER), joined.getTicket());
    var play = PlayServiceGrpc.newBlockingStub(server)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    var updates = play.watchTable(WatchTableRequest.newBuilder().setTableId(table).build());
    while (updates.hasNext()) {
      var update = updates.next().getUpdate();
      if (update.hasDecision()) {
        play.submitMove(SubmitMoveRequest.newBuilder().setTableId(table)
            .setDecisionId(update.getDecision().getDecisionId())
            .setMove(update.getDecision().getFallback()).build());
      } else if (update.hasResult()) {
        System.out.println(update.getResult());
      }
    }
    server.shutdownNow();
  }
}
