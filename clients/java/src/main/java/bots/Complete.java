package bots;

import com.google.protobuf.*;
import com.google.rpc.*;
import croupier.v1.*;
import io.grpc.*;
import io.grpc.protobuf.StatusProto;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.*;
import java.util.concurrent.*;

/** A complete bot plays a match over sessions: it survives cuts, reads refusals, opens nonces. */
public class Complete {
  private final Map<ByteString, ByteString> nonces = new HashMap<>(); // by their hashes
  private final ChannelOpen.Builder seat = ChannelOpen.newBuilder(); // with the position
  private Decision ask = Decision.getDefaultInstance(); // the last one
  private Move answer; // to that decision
  private MatchResult result;
  private int events, streams;

  /** Returns one of the listed moves and the fallback at random. Put your own player here. */
  static Move choose(Decision ask) {
    int index = ThreadLocalRandom.current().nextInt(ask.getLegal().getMovesCount() + 1);
    return index == 0 ? ask.getFallback() : ask.getLegal().getMoves(index - 1).getMove();
  }

  /** Makes a nonce, and returns its hash. */
  ByteString promise() throws Exception {
    var nonce = ByteString.copyFrom(new SecureRandom().generateSeed(32));
    var digest = MessageDigest.getInstance("SHA-256").digest(nonce.toByteArray());
    nonces.put(ByteString.copyFrom(digest), nonce);
    return ByteString.copyFrom(digest);
  }

  /** Pauses after a failed call, or throws if the call cannot succeed. */
  static void pause(StatusException failure) throws Exception {
    var again = failure.getStatus().getCode() != io.grpc.Status.Code.UNIMPLEMENTED;
    var seconds = ThreadLocalRandom.current().nextDouble(0.4);
    for (var detail : StatusProto.fromThrowable(failure).getDetailsList()) {
      if (detail.is(ErrorInfo.class)) { // always the first one
        var why = detail.unpack(ErrorInfo.class);
        System.out.printf("refused: %s %s %s%n", why.getReason(), why.getMetadataMap().get("rule"), failure);
        again = false;
      } else if (detail.is(RetryInfo.class)) {
        seconds += detail.unpack(RetryInfo.class).getRetryDelay().getSeconds();
        again = true;
      }
    }
    if (!again) {
      throw failure;
    }
    Thread.sleep((long) (seconds * 1000));
  }

  /** Holds one session until the connection is lost, or the server ends the stream of the seat. */
  void play(ManagedChannel server) throws Exception {
    var session = SessionServiceGrpc.newBlockingV2Stub(server).session();
    var out = SessionRequest.newBuilder().setHello(SessionHello.newBuilder().setClient("java/1")).addOpens(seat);
    try {
      for (var over = false; !over; ) {
        session.write(out.build());
        var frame = session.read(30, TimeUnit.SECONDS); // three heartbeats, or it throws
        out = SessionRequest.newBuilder().setAcknowledged(frame.getFrame())
            .setHeartbeatEcho(frame.getHeartbeat().getHeartbeatId());
        for (var item : frame.getItemsList()) {
          over |= item.hasRefusal() ? leave(item.getRefusal(), item.getRefusal().getRetryAfter()) : handle(item.getUpdate(), out);
        }
        over |= frame.hasEnd() && leave(frame.getEnd(), frame.getEnd().getRetryAfter());
      }
    } finally {
      session.cancel("over", null);
    }
  }

  /** Pauses after the end of a stream, or throws if there is no coming back; returns true. */
  boolean leave(Object why, Duration retryAfter) throws Exception {
    if (result == null && retryAfter.equals(Duration.getDefaultInstance())) {
      throw new IllegalStateException("left: " + why);
    }
    Thread.sleep(retryAfter.getSeconds() * 1000);
    return true;
  }

  /** Reads an update, and adds what is to be sent to out; returns whether the stream is over. */
  boolean handle(TableUpdate update, SessionRequest.Builder out) throws Exception {
    switch (update.getUpdateCase()) { // what it does not name is passed over
      case SNAPSHOT -> { // it stands for all events up to its number
        events = update.getSnapshot().getSequence();
        seat.setTableEpoch(update.getSnapshot().getTable().getTableEpoch()).setAfterSequence(events);
      }
      case EVENT -> {
        events++;
        seat.setAfterSequence(update.getEvent().getSequence());
      }
      case NONCE_WANTED -> out.addNonces(ChannelNonce.newBuilder().setChannel(1).setNextNonceHash(promise())
          .setNonce(nonces.get(update.getNonceWanted().getNonceHash())));
      case DECISION -> {
        if (!ask.getDecisionId().equals(update.getDecision().getDecisionId())) {
          ask = update.getDecision(); // one that comes again gets the same answer
          answer = choose(ask);
        }
        out.addMoves(ChannelMove.newBuilder().setChannel(1).setDecisionId(ask.getDecisionId()).setMove(answer));
      }
      case MOVE_REFUSED -> { // the server does not ask again
        var refusal = update.getMoveRefused().getRefusal();
        System.out.printf("refused: %s %s %s%n", refusal.getReason(), refusal.getRule(), refusal.getDetail());
        Thread.sleep(refusal.getRetryAfter().getSeconds() * 1000);
        if (refusal.hasRetryAfter() || !answer.equals(ask.getFallback())) {
          answer = ask.getFallback();
          out.addMoves(ChannelMove.newBuilder().setChannel(1).setDecisionId(ask.getDecisionId()).setMove(answer));
        }
      }
      case RESULT -> result = update.getResult();
      case END -> {
        return leave(update.getEnd(), update.getEnd().getRetryAfter());
      }
    }
    return false;
  }

  public static void main(String[] args) throws Exception { // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
    var server = Grpc.newChannelBuilder(args[0], InsecureChannelCredentials.create())
        .keepAliveTime(30, TimeUnit.SECONDS).keepAliveTimeout(10, TimeUnit.SECONDS).build();
    var tables = TableServiceGrpc.newBlockingV2Stub(server);
    var bot = new Complete();
    var house = SeatSpec.newBuilder().setAccess(SeatAccess.SEAT_ACCESS_HOUSE).setHouseBot("greedy").build();
    var create = CreateTableRequest.newBuilder().setRequestId(UUID.randomUUID().toString())
        .setSpec(TableSpec.newBuilder().setGame(GameKind.valueOf(args[1]))).addSeats(SeatSpec.getDefaultInstance())
        .addAllSeats(Collections.nCopies(Integer.parseInt(args[2]), house)).build();
    var join = JoinTableRequest.newBuilder().setRequestId(UUID.randomUUID().toString()).setNonceHash(bot.promise());
    for (; bot.result == null; bot.streams++) {
      try {
        if (join.getTableId().isEmpty()) { // with a request id nothing is done twice
          join.setTableId(tables.withDeadlineAfter(30, TimeUnit.SECONDS).createTable(create).getTable().getTableId());
        }
        if (bot.seat.getTicket().isEmpty()) {
          var ticket = tables.withDeadlineAfter(30, TimeUnit.SECONDS).joinTable(join.build()).getTicket();
          bot.seat.setChannel(1).setTableId(join.getTableId()).setTicket(ticket).setViewMode(ViewMode.VIEW_MODE_EVENTS);
        }
        bot.play(server);
      } catch (StatusException failure) {
        pause(failure);
      }
    }
    System.out.printf("result: %s table: %s events: %d last: %d streams: %d%n", TextFormat.printer()
        .emittingSingleLine(true).printToString(bot.result), join.getTableId(), bot.events, bot.seat.getAfterSequence(), bot.streams);
    server.shutdownNow();
  }
}
