// A complete bot plays one match on a session, through cuts and refusals.
#include "croupier/v1/session_service.grpc.pb.h"
#include "croupier/v1/table_service.grpc.pb.h"
#include <google/protobuf/text_format.h>
#include <grpcpp/grpcpp.h>
#include <iostream>
#include <openssl/sha.h>
#include <random>
#include <thread>

using namespace croupier::v1;
using namespace std::chrono_literals;
using Clock = std::chrono::system_clock;

struct Retryable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws why a stream ended or a request on it was refused.
template <class Reason> void fail(const Reason &reason) {
  if (!reason.has_retry_after())
    throw std::runtime_error(reason.ShortDebugString());
  std::this_thread::sleep_for((reason.retry_after().seconds() + 1) * 1s);
  throw Retryable(reason.ShortDebugString());
}

// Throws if a call failed. Refusals by the server have details.
void check(const grpc::Status &status) {
  const bool refused = !status.error_details().empty();
  if (!status.ok() && (!refused || status.error_code() == grpc::UNAVAILABLE))
    throw Retryable(status.error_message());
  if (!status.ok())
    throw std::runtime_error(status.error_message());
}

// Repeats an attempt while that may help, with growing pauses.
template <class Attempt> auto insist(Attempt attempt) {
  for (auto heard = Clock::now();;) {
    try {
      return attempt(heard);
    } catch (const Retryable &failure) {
      std::cerr << failure.what() << '\n';
      const Clock::duration silence = Clock::now() - heard;
      if (silence > 120s)
        throw;
      const auto pause = std::min<Clock::duration>(silence, 400ms);
      std::this_thread::sleep_for(pause + (std::rand() % 20 + 10) * 1ms);
    }
  }
}

// Returns 32 random letters, which hold 150 bits.
std::string draw() {
  std::random_device random;
  std::string drawn(32, 0);
  for (char &letter : drawn)
    letter = static_cast<char>('a' + random() % 26);
  return drawn;
}

int main(int, char **args) { // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
  grpc::ChannelArguments alive;
  alive.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30000);
  const auto plain = grpc::InsecureChannelCredentials();
  auto server = CreateCustomChannel(args[1], plain, alive);
  auto tables = TableService::NewStub(server);
  auto sessions = SessionService::NewStub(server);
  auto rpc = [&](auto method, const auto &request, auto response) {
    return insist([&](auto &) {
      grpc::ClientContext context;
      context.set_deadline(Clock::now() + 30s);
      check((*tables.*method)(&context, request, &response));
      return response;
    });
  };
  auto spec = std::string("spec { game: ") + args[2] + " } seats {}";
  for (int others = std::stoi(args[3]); others > 0; --others)
    spec += " seats { access: SEAT_ACCESS_HOUSE house_bot: 'greedy' }";
  CreateTableRequest ask;
  google::protobuf::TextFormat::ParseFromString(spec, &ask);
  ask.set_request_id(draw());
  auto made = rpc(&TableService::Stub::CreateTable, ask, CreateTableResponse());
  std::string nonce = draw(), hash(32, 0);
  SHA256(reinterpret_cast<unsigned char *>(nonce.data()), nonce.size(),
         reinterpret_cast<unsigned char *>(hash.data()));
  JoinTableRequest join;
  join.set_request_id(draw());
  join.set_table_id(made.table().table_id());
  join.set_nonce_hash(hash);
  auto joined = rpc(&TableService::Stub::JoinTable, join, JoinTableResponse());
  ChannelOpen open;
  open.set_channel(1);
  open.set_table_id(join.table_id());
  open.set_ticket(joined.ticket());
  insist([&](auto &heard) {
    grpc::ClientContext context;
    auto session = sessions->Session(&context);
    SessionRequest reply;
    SessionResponse frame;
    Decision last;
    reply.mutable_hello()->set_client("complete-cpp/1");
    *reply.add_opens() = open;
    while (session->Write(reply) && session->Read(&frame)) {
      heard = Clock::now();
      reply.Clear();
      reply.set_acknowledged(frame.frame());
      reply.set_heartbeat_echo(frame.heartbeat().heartbeat_id());
      for (const auto &item : frame.items()) {
        const TableUpdate &update = item.update();
        Move move;
        if (item.has_refusal()) {
          fail(item.refusal());
        } else if (update.has_snapshot()) {
          open.set_table_epoch(update.snapshot().table().table_epoch());
          open.set_after_sequence(update.snapshot().sequence());
        } else if (update.has_nonce_wanted()) {
          reply.add_nonces()->set_channel(1);
          reply.mutable_nonces(0)->set_nonce(nonce);
        } else if (update.has_decision()) {
          last = update.decision();
          open.set_after_sequence(last.sequence());
          // Your choice, here the last move. If asked again, choose the same.
          const auto &listed = last.legal().moves();
          move = listed.empty() ? last.fallback() : listed.rbegin()->move();
        } else if (update.has_move_refused()) {
          const Refusal &refusal = update.move_refused().refusal();
          std::cerr << refusal.ShortDebugString() << '\n';
          if (refusal.has_retry_after())
            fail(refusal); // the next session brings the decision again
          move.Swap(last.mutable_fallback()); // once, then it is not set
        } else if (update.has_result()) {
          return update.result();
        } else if (update.has_end()) {
          fail(update.end());
        }
        if (move.game_case() != Move::GAME_NOT_SET) {
          auto answer = reply.add_moves();
          answer->set_channel(1);
          answer->set_decision_id(last.decision_id());
          *answer->mutable_move() = move;
        }
      }
      if (frame.has_end())
        fail(frame.end());
    }
    check(session->Finish());
    throw Retryable("the session ended");
  }).PrintDebugString();
}
