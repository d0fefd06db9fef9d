//! The smallest bot plays one match against house bots. It answers with each decision's fallback.
use bots::{play_service_client::PlayServiceClient, table_service_client::TableServiceClient};
use bots::{table_update::Update, *};
use tonic::{Request, metadata::AsciiMetadataValue, transport::Endpoint};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect(); // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
    let server = Endpoint::new(format!("http://{}", args[1]))?.connect_lazy();
    let game = GameKind::from_str_name(&args[2]).ok_or("no such game")?;
    let (mut create, mut house) = (CreateTableRequest::default(), SeatSpec::default());
    create.spec.get_or_insert_default().set_game(game);
    house.set_access(SeatAccess::House);
    house.house_bot = "greedy".into();
    create.seats = vec![house; args[3].parse::<usize>()? + 1];
    create.seats[0] = SeatSpec::default();
    let mut tables = TableServiceClient::new(server.clone());
    let table = tables.create_table(create).await?.into_inner().table;
    let (mut join, mut watch) = (JoinTableRequest::default(), WatchTableRequest::default());
    join.table_id = table.ok_or("no table")?.table_id;
    watch.table_id = join.table_id.clone();
    let joined = tables.join_table(join).await?.into_inner();
    let ticket: AsciiMetadataValue = joined.ticket.parse()?;
    let mut play = PlayServiceClient::with_interceptor(server, |mut req: Request<()>| {
        req.metadata_mut().insert("croupier-ticket", ticket.clone());
        Ok(req)
    });
    let mut stream = play.watch_table(watch.clone()).await?.into_inner();
    while let Some(message) = stream.message().await? {
        match message.update.unwrap_or_default().update {
            Some(Update::Decision(decision)) => {
                let mut answer = SubmitMoveRequest::default();
                (answer.table_id, answer.r#move) = (watch.table_id.clone(), decision.fallback);
                answer.decision_id = decision.decision_id;
                play.submit_move(answer).await?;
            }
            Some(Update::Result(result)) => {
                println!("{} {:?}", result.reason().as_str_name(), result.seats);
                break;
            }
            _ => {}
        }
    }
    Ok(())
}
