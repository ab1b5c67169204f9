//! Serving: the port, the connections, and the end.

use super::keys::Keys;
use super::reading::Chosen;
use super::routes::Served;
use crate::said::say;
use crate::stdout;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use spl_session::measure::event_loop;
use spl_session::owner::Owners;
use spl_session::strangers::{Place, Strangers};
use spl_store::Store;
use spl_verdict::ExitStatus;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, timeout};

/// Time for a request to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Time of a connection, with the answer taken by its reader.
const LONGEST: Duration = Duration::from_secs(60);
/// Bytes of a request's head.
const MOST_HEAD: usize = 16 << 10;
/// Time and bytes for which a connection is read after its answer: closed at once, the kernel would take the answer back from a
/// client that still sends.
const AFTER: (Duration, u64) = (Duration::from_secs(1), 1 << 20);
/// Pause after a connection failed for want of a descriptor.
const NEXT_TRY: Duration = Duration::from_millis(100);

/// Serves the pages of a store until the operator ends it.
///
/// # Errors
/// When the store cannot be read or the port is taken; one line of text.
pub fn serve(store: &Path, chosen: Chosen, port: u16) -> Result<ExitStatus, String> {
    // The operator learns of a store that cannot be read before opening a browser.
    Store::read(store).map_err(|why| why.to_string())?;
    let runtime = event_loop()?;
    let ended = runtime.block_on(async {
        let watch = |kind| signal(kind).map_err(|why| format!("cannot watch for signals: {why}"));
        let (mut key, mut end) = (watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?);
        let listener = listen(port).await?;
        let port = listener.local_addr().map_err(|why| format!("cannot find out the port: {why}"))?.port();
        let (keys, token) = Keys::new(port)?;
        say("open this address in a browser: it lets one in, once; Ctrl-C ends the server");
        stdout::print(&format!("http://127.0.0.1:{port}/#{token}\n"))?;
        let served = Arc::new(Served::new(store.to_owned(), chosen, keys, port));
        tokio::select! {
            () = accept(listener, served) => {}
            _ = key.recv() => {}
            _ = end.recv() => {}
        }
        Ok(ExitStatus::AllHold)
    });
    // Queries that still run end with the process.
    runtime.shutdown_background();
    ended
}

async fn listen(port: u16) -> Result<TcpListener, String> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        let free = "without --port it is a free one";
        if error.kind() == ErrorKind::AddrInUse {
            format!("port {port} is taken: end its server, or choose another with --port; {free}")
        } else {
            format!("cannot listen on port {port}: {error}; {free}")
        }
    })
}

/// Serves every connection. Never returns.
async fn accept(listener: TcpListener, served: Arc<Served>) {
    let (owners, strangers) = (Owners::open(), Strangers::default());
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
            Err(_) => {
                tokio::time::sleep(NEXT_TRY).await;
                continue;
            }
        };
        let is_ours = match (peer, stream.local_addr()) {
            (SocketAddr::V4(peer), Ok(SocketAddr::V4(here))) => owners.is_ours(peer, here),
            _ => false,
        };
        let Some(place) = strangers.admit(is_ours).await else { continue };
        tokio::spawn(connection(stream, place, Arc::clone(&served)));
    }
}

/// One request with its answer.
async fn connection(mut stream: TcpStream, place: Place, served: Arc<Served>) {
    let until = Instant::now() + ARRIVAL;
    let work = async {
        let service =
            service_fn(|request| async { Ok::<_, Infallible>(served.answer(request, until, &place).await) });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(ARRIVAL).max_buf_size(MOST_HEAD).keep_alive(false);
        // An error is one of a client that is gone, or has been answered.
        let _ = timeout(LONGEST, http.serve_connection(TokioIo::new(&mut stream), service)).await;
        let _ = timeout(AFTER.0, async {
            let _ = stream.shutdown().await;
            let _ = tokio::io::copy(&mut (&mut stream).take(AFTER.1), &mut tokio::io::sink()).await;
        })
        .await;
    };
    tokio::select! {
        () = work => {}
        () = place.is_taken_away() => {}
    }
}
