// The smallest bot plays one match: it answers each decision with its fallback.
#include "croupier/v1/play_service.grpc.pb.h"
#include "croupier/v1/table_service.grpc.pb.h"
#include <google/protobuf/text_format.h>
#include <grpcpp/grpcpp.h>
using namespace croupier::v1;

void check(const grpc::Status &status) {
  status.ok() ? void() : throw std::runtime_error(status.error_message());
}
int main(int, char **args) { // build/tiny 127.0.0.1:7421 GAME_KIND_TRACTOR 3
  auto server = CreateChannel(args[1], grpc::InsecureChannelCredentials());
  auto tables = TableService::NewStub(server);
  auto play = PlayService::NewStub(server);
  grpc::ClientContext creating, joining, watching;
  auto spec = std::string("spec { game: ") + args[2] + " } seats {}";
  for (int others = std::stoi(args[3]); others > 0; --others)
    spec += " seats { access: SEAT_ACCESS_HOUSE house_bot: 'greedy' }";
  CreateTableRequest create;
  CreateTableResponse made;
  google::protobuf::TextFormat::ParseFromString(spec, &create);
  check(tables->CreateTable(&creating, create, &made));
  JoinTableRequest join;
  JoinTableResponse joined;
  join.set_table_id(made.table().table_id());
  check(tables->JoinTable(&joining, join, &joined));
  WatchTableRequest watch;
  WatchTableResponse message;
  watch.set_table_id(join.table_id());
  watching.AddMetadata("croupier-ticket", joined.ticket());
  auto stream = play->WatchTable(&watching, watch);
  while (stream->Read(&message) && !message.update().has_result())
    if (message.update().has_decision()) {
      grpc::ClientContext submitting;
      SubmitMoveRequest answer;
      SubmitMoveResponse accepted;
      answer.set_table_id(join.table_id());
      answer.set_decision_id(message.update().decision().decision_id());
      *answer.mutable_move() = message.update().decision().fallback();
      submitting.AddMetadata("croupier-ticket", joined.ticket());
      check(play->SubmitMove(&submitting, answer, &accepted));
    }
  check(message.update().has_result() ? grpc::Status() : stream->Finish());
  message.update().result().PrintDebugString();
}
