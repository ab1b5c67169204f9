//! Connections from agents: version exchange, proofs of the token, then messages both ways. Each connection
//! has one task, which reports to the session through [`Input`]s.

use crate::files::random;
use crate::strangers::Place;
use spl_wire::{Decoder, Encoder, Opening, OpeningError, Step, ToAgent, ToController, Token};
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Reason of a connection that its agent closed in order.
pub(crate) const CLOSED: &str = "the connection was closed";

/// Time that a new peer has to send its opening bytes; after it the connection is closed.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// One agent, as the session sees it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Number of the connection.
    pub id: u64,
    messages: UnboundedSender<ToAgent>,
}

impl Agent {
    /// An agent to which nothing gets through.
    #[cfg(test)]
    pub fn unreachable(id: u64) -> Self {
        Self { id, messages: unbounded_channel().0 }
    }

    /// Queues a message; the end of the connection is reported as an [`Input::Lost`].
    pub fn send(&self, message: ToAgent) {
        let _ = self.messages.send(message);
    }
}

/// Input of the session's loop.
#[derive(Debug)]
pub enum Input {
    /// A message of an agent, and when it came.
    Said {
        /// The sender.
        agent: Agent,
        /// When the message came.
        at: Instant,
        /// The message.
        message: Box<ToController>,
    },
    /// The connection of an agent ended.
    Lost {
        /// The number of the connection.
        agent: u64,
        /// The reason, in words.
        why: String,
    },
    /// An agent failed to prove that it knows the token.
    Unproved {
        /// Process id that the agent gave.
        pid: u32,
    },
    /// The program ended.
    Ended {
        /// True if a signal ended it.
        by_signal: bool,
    },
    /// The operator wants the measurement to end.
    Interrupted,
    /// The operator wants tasks and settings to be read again.
    Reload,
}

/// A connection at a port that has not yet proved that it knows the token.
#[derive(Debug)]
pub struct Stranger {
    /// The token that the peer must know.
    pub token: Token,
    /// The connection's place among the unproved ones.
    pub place: Place,
}

/// Serves one connection until it ends. At a port, a peer is served only after it has proved that it knows
/// the token.
pub async fn serve<S>(stream: S, id: u64, stranger: Option<Stranger>, inputs: Sender<Input>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let lost = |why| Input::Lost { agent: id, why };
    let end = match talk(stream, id, stranger, &inputs).await {
        Ok(End::Farewell) => return,
        Ok(End::Closed) => lost(CLOSED.to_owned()),
        Ok(End::Unproved { pid }) => Input::Unproved { pid },
        // A JVM that ends closes its connection at any moment.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
            ) =>
        {
            lost(CLOSED.to_owned())
        }
        Err(error) => lost(error.to_string()),
    };
    // Sending fails only when the session is gone, and then the process is ending.
    let _ = inputs.send(end).await;
}

/// Regular end of a connection.
enum End {
    /// The agent said goodbye.
    Farewell,
    /// One side closed the connection.
    Closed,
    /// The agent does not know the token.
    Unproved {
        /// Process id that the agent gave.
        pid: u32,
    },
}

/// Kind of the peer at the beginning of a connection.
enum Begin {
    /// An agent; the value has the bytes of it that have come already.
    Agent(Vec<u8>),
    /// The peer does not know the token.
    Unproved {
        /// Process id that the agent gave.
        pid: u32,
    },
}

async fn talk<S>(
    mut stream: S,
    id: u64,
    stranger: Option<Stranger>,
    inputs: &Sender<Input>,
) -> io::Result<End>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let begun = tokio::time::timeout(GREETING_TIMEOUT, begin(&mut stream, stranger)).await;
    let rest = match begun.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "no greeting came"))?? {
        Begin::Agent(rest) => rest,
        Begin::Unproved { pid } => return Ok(End::Unproved { pid }),
    };
    let (reader, writer) = tokio::io::split(stream);
    let (messages, outgoing) = unbounded_channel();
    let agent = Agent { id, messages };
    let read = read(reader, agent, rest, inputs);
    tokio::pin!(read);
    tokio::select! {
        result = &mut read => result,
        result = write(writer, outgoing) => match result {
            Ok(end) => Ok(end),
            // The agent has closed its side after its last message; that message may still wait to be read.
            Err(_) => read.await,
        },
    }
}

async fn begin<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    stranger: Option<Stranger>,
) -> io::Result<Begin> {
    let Some(Stranger { token, place }) = stranger else {
        let opened = open(stream, Opening::controller_at_socket(), || ()).await?;
        return opened.map(Begin::Agent).map_err(io::Error::other);
    };
    tokio::select! {
        begun = prove(stream, token, &place) => begun,
        () = place.is_taken_away() => Err(io::Error::other("it did not say who it is, and others came")),
    }
}

/// Lets a peer prove that it knows the token.
async fn prove<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    token: Token,
    place: &Place,
) -> io::Result<Begin> {
    let opening = Opening::controller_at_port(token, random()?);
    let pid = match open(stream, opening, || place.has_greeted()).await? {
        Ok(rest) => return Ok(Begin::Agent(rest)),
        Err(OpeningError::Unproved { pid }) => pid,
        Err(error) => return Err(io::Error::other(error)),
    };
    let (mut farewell, reason) = (Vec::new(), "the token is wrong or missing".to_owned());
    Encoder::default().encode(&ToAgent::Reject { reason }, &mut farewell).map_err(io::Error::other)?;
    // A peer that did not accept our proof has not waited for the farewell, so errors are ignored.
    let _ = stream.write_all(&farewell).await;
    let _ = stream.shutdown().await;
    Ok(Begin::Unproved { pid })
}

/// Carries out the steps of the opening; gives the bytes that came after it. `greeted` is called once the
/// versions are known to be compatible.
async fn open<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    mut opening: Opening,
    greeted: impl Fn(),
) -> io::Result<Result<Vec<u8>, OpeningError>> {
    let mut chunk = [0; 512];
    loop {
        match opening.next() {
            Ok(Step::Send(bytes)) => {
                stream.write_all(&bytes).await?;
                stream.flush().await?;
                if opening.has_greeted() {
                    greeted();
                }
            }
            Ok(Step::Receive) => match stream.read(&mut chunk).await? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => opening.push(&chunk[..n]),
            },
            // Only agents are asked for a token.
            Ok(Step::Token) => opening.know(None),
            Ok(Step::Open { rest }) => return Ok(Ok(rest)),
            Err(error) => return Ok(Err(error)),
        }
    }
}

async fn read(
    mut reader: impl AsyncRead + Unpin,
    agent: Agent,
    rest: Vec<u8>,
    inputs: &Sender<Input>,
) -> io::Result<End> {
    let mut decoder = Decoder::default();
    decoder.push(&rest);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        while let Some(message) = decoder.next::<ToController>().map_err(io::Error::other)? {
            let farewell = matches!(message, ToController::Bye { .. });
            if inputs
                .send(Input::Said { agent: agent.clone(), at: Instant::now(), message: Box::new(message) })
                .await
                .is_err()
            {
                return Ok(End::Closed);
            }
            if farewell {
                return Ok(End::Farewell);
            }
        }
        match reader.read(&mut chunk).await? {
            0 => return Ok(End::Closed),
            n => decoder.push(&chunk[..n]),
        }
    }
}

async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut outgoing: UnboundedReceiver<ToAgent>,
) -> io::Result<End> {
    let mut encoder = Encoder::default();
    let mut out = Vec::new();
    while let Some(message) = outgoing.recv().await {
        out.clear();
        // A rejected peer must not keep its connection.
        let mut last = matches!(message, ToAgent::Reject { .. });
        encoder.encode(&message, &mut out).map_err(io::Error::other)?;
        while let Ok(message) = outgoing.try_recv() {
            last |= matches!(message, ToAgent::Reject { .. });
            encoder.encode(&message, &mut out).map_err(io::Error::other)?;
        }
        writer.write_all(&out).await?;
        writer.flush().await?;
        if last {
            break;
        }
    }
    Ok(End::Closed)
}
