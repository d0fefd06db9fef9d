//! A complete bot plays one match by `WatchTable` and `SubmitMove`, through cuts and refusals.
use bots::{play_service_client::*, table_service_client::*, table_update::Update, *};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, error::Error, time::Duration};
use tokio::time::{Instant, sleep, timeout};
use tonic::Code::{Cancelled, Internal, Unavailable, Unknown};
use tonic::transport::{Channel, Endpoint};
use tonic::{Extensions, Request, Result, Status, metadata::MetadataMap};
use tonic_types::StatusExt;

const LIMIT: Duration = Duration::from_secs(30); // of a call, and of silence: three heartbeats
const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(20);

/// Repeats an attempt while that can help, with growing pauses. It notes when the server was heard.
async fn insist<T>(mut attempt: impl AsyncFnMut(&mut Instant) -> Result<T>) -> Result<T> {
    let mut heard = Instant::now();
    loop {
        let failure = match attempt(&mut heard).await {
            Err(failure) if heard.elapsed() < PATIENCE => failure,
            outcome => return outcome,
        };
        let details = failure.get_error_details();
        let wait = match (details.error_info(), failure.code()) {
            (Some(_), _) => details.retry_info().and_then(|it| it.retry_delay),
            (_, Unavailable | Cancelled | Unknown | Internal) => Some(Duration::ZERO),
            _ => None,
        };
        eprintln!("{failure}");
        let pause = heard.elapsed().clamp(PAUSE, PAUSE * 20);
        sleep(wait.ok_or(failure)? + pause.mul_f32(0.5 + rand::random::<f32>())).await;
    }
}

/// A seat at a table: where its stream goes on, and its nonces by their hashes.
struct Seat {
    play: PlayServiceClient<Channel>,
    headers: MetadataMap,
    watch: WatchTableRequest,
    nonces: HashMap<Vec<u8>, Vec<u8>>,
}

impl Seat {
    /// Adds the seat's ticket to a message.
    fn request<T>(&self, message: T) -> Request<T> {
        Request::from_parts(self.headers.clone(), Extensions::new(), message)
    }

    /// Plays a move of your choice, here the last one listed. If it is refused, plays the fallback.
    async fn answer(&mut self, decision: Decision) -> Result<()> {
        let mut answer = SubmitMoveRequest::default();
        answer.table_id = self.watch.table_id.clone();
        answer.decision_id = decision.decision_id;
        let chosen = decision.legal.unwrap_or_default().moves.pop();
        let chosen = chosen.unwrap_or_default().r#move;
        for choice in [chosen, decision.fallback].into_iter().flatten() {
            answer.r#move = Some(choice);
            let request = self.request(answer.clone());
            let Err(refusal) = self.play.submit_move(request).await else {
                break;
            };
            let details = refusal.get_error_details();
            if details.error_info().is_none() || details.retry_info().is_some() {
                return Err(refusal); // the stream is opened again, and asks again
            }
            // The metadata has the rule and its clause.
            eprintln!("{}: {:?}", refusal.message(), details.error_info());
        }
        Ok(())
    }

    /// Plays on one stream. Returns the result, or why the stream ended before.
    async fn follow(&mut self, heard: &mut Instant) -> Result<MatchResult> {
        let request = self.request(self.watch.clone());
        let mut stream = self.play.watch_table(request).await?.into_inner();
        while let Some(message) = timeout(LIMIT, stream.message()).await.unwrap_or(Ok(None))? {
            *heard = Instant::now();
            match message.update.unwrap_or_default().update {
                Some(Update::Snapshot(now)) => {
                    let table = now.table.unwrap_or_default();
                    self.watch.table_epoch = table.table_epoch;
                    self.watch.after_sequence = now.sequence;
                }
                Some(Update::NonceWanted(wanted)) => {
                    let mut open = OpenNonceRequest::default();
                    open.table_id = self.watch.table_id.clone();
                    open.nonce = self.nonces[&wanted.nonce_hash].clone();
                    open.next_nonce_hash = promise(&mut self.nonces);
                    self.play.open_nonce(self.request(open)).await?;
                }
                Some(Update::Decision(decision)) => {
                    self.watch.after_sequence = decision.sequence;
                    self.answer(decision).await?;
                }
                Some(Update::Result(result)) => return Ok(result),
                Some(Update::End(end)) => {
                    let text = format!("{end:?}");
                    let wait = end.retry_after.ok_or(Status::aborted(text))?;
                    sleep(wait.try_into().unwrap_or(LIMIT)).await;
                    break;
                }
                _ => {}
            }
        }
        Err(Status::unavailable("the stream ended"))
    }
}

/// Adds a nonce and returns its hash.
fn promise(nonces: &mut HashMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let nonce: [u8; 32] = rand::random();
    let hash = Sha256::digest(nonce).to_vec();
    nonces.insert(hash.clone(), nonce.to_vec());
    hash
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect(); // 127.0.0.1:7421 GAME_KIND_TRACTOR 3
    let server = Endpoint::new(format!("http://{}", args[1]))?.timeout(LIMIT);
    let server = server.http2_keep_alive_interval(LIMIT).connect_lazy();
    let tables = TableServiceClient::new(server.clone());
    let game = GameKind::from_str_name(&args[2]).ok_or("no such game")?;
    let (mut create, mut house) = (CreateTableRequest::default(), SeatSpec::default());
    create.request_id = format!("{:032x}", rand::random::<u128>());
    create.spec.get_or_insert_default().set_game(game);
    house.set_access(SeatAccess::House);
    house.house_bot = "greedy".into();
    create.seats = vec![house; args[3].parse::<usize>()? + 1];
    create.seats[0] = SeatSpec::default();
    let made = insist(async |_| tables.clone().create_table(create.clone()).await).await?;
    let (mut join, mut nonces) = (JoinTableRequest::default(), HashMap::new());
    join.request_id = format!("{:032x}", rand::random::<u128>());
    join.table_id = made.into_inner().table.ok_or("no table")?.table_id;
    join.nonce_hash = promise(&mut nonces);
    let joined = insist(async |_| tables.clone().join_table(join.clone()).await).await?;
    let mut headers = MetadataMap::new();
    headers.insert("croupier-ticket", joined.into_inner().ticket.parse()?);
    let mut seat = Seat {
        play: PlayServiceClient::new(server),
        headers,
        watch: WatchTableRequest::default(),
        nonces,
    };
    seat.watch.table_id = join.table_id;
    let result = insist(async |heard| seat.follow(heard).await).await?;
    println!("{} {:?}", result.reason().as_str_name(), result.seats);
    Ok(())
}
