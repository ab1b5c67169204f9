//! Connections from agents: version exchange, proofs of the token, then messages both ways. One task a connection; all that is known of a
//! connection reaches the session as [`Input`]s.

use crate::files::random;
use crate::strangers::Place;
use spl_wire::{Decoder, Encoder, Opening, OpeningError, Step, ToAgent, ToController, Token};
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A peer that doesn't say what it is for so long is no agent.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// One agent, as the session sees it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Tells connections apart.
    pub id: u64,
    messages: UnboundedSender<ToAgent>,
}

impl Agent {
    /// Queues a message; the end of the connection is reported as an [`Input::Lost`].
    pub fn send(&self, message: ToAgent) {
        let _ = self.messages.send(message);
    }
}

/// What the loop is told.
#[derive(Debug)]
pub enum Input {
    /// A message of an agent, and when it came.
    Said {
        /// Who said it.
        agent: Agent,
        /// When it came.
        at: Instant,
        /// What was said.
        message: Box<ToController>,
    },
    /// The connection of an agent ended.
    Lost {
        /// The number of the connection.
        agent: u64,
        /// Why, in words.
        why: String,
    },
    /// An agent could not show that it knows the token; its process, as it says.
    Unproved {
        /// The process.
        pid: u32,
    },
    /// The program ended.
    Ended,
    /// The operator wants the measurement to end.
    Interrupted,
}

/// Whoever comes in at a port, until it has shown that it knows the token.
#[derive(Debug)]
pub struct Stranger {
    /// What it has to know.
    pub token: Token,
    /// What it occupies meanwhile.
    pub place: Place,
}

/// Serves one connection until it ends; of a stranger only if it knows the token.
pub async fn serve<S>(stream: S, id: u64, stranger: Option<Stranger>, inputs: Sender<Input>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let lost = |why| Input::Lost { agent: id, why };
    let end = match talk(stream, id, stranger, &inputs).await {
        Ok(End::Farewell) => return,
        Ok(End::Closed) => lost("the connection was closed".to_owned()),
        Ok(End::Unproved { pid }) => Input::Unproved { pid },
        Err(error) => lost(error.to_string()),
    };
    // The session is gone only when the process ends.
    let _ = inputs.send(end).await;
}

/// How a connection ended in order.
enum End {
    /// The agent said that it was over.
    Farewell,
    /// One side closed it.
    Closed,
    /// The agent does not know the token.
    Unproved {
        /// As it says.
        pid: u32,
    },
}

/// How a connection begins.
enum Begin {
    /// With an agent of ours, of which these bytes have come already.
    Agent(Vec<u8>),
    /// With one that does not know the token.
    Unproved {
        /// As it says.
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
            // An agent that has said its last word takes nothing more; the word may still wait to be read.
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

/// Lets a stranger show that it knows the token.
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
    // One that did not believe us does not wait for it.
    let _ = stream.write_all(&farewell).await;
    let _ = stream.shutdown().await;
    Ok(Begin::Unproved { pid })
}

/// Does what the opening says; gives the bytes that came after it. `greeted` is called once the versions are known to go together.
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
            // Only agents are asked for theirs.
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
        // Nobody who was turned away can keep a connection.
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
