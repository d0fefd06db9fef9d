//! Generates the stubs from `protos/`, with a compiler written in Rust: `protoc` is not needed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let protos = "../../protos";
    let mut files = Vec::new();
    for entry in std::fs::read_dir(format!("{protos}/croupier/v1"))? {
        files.push(entry?.path());
    }
    println!("cargo::rerun-if-changed={protos}");
    let contract = protox::compile(files, [protos])?;
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(contract)?;
    Ok(())
}
