//! The contract: messages, and a client for each service.

tonic::include_proto!("croupier.v1");
