//! A connection whose agent thread and controller are played by the test.

use super::news::LOOK_FOR_PROBES_EVERY;
use super::*;
use crate::kinds::times::record;
use crate::layout::{self, GATES_BYTES};
use crate::memory::Memory;
use spl_model::{Instrument, MethodRef, Sizing};
use spl_wire::Encoder;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

static ALIVE: Life = Life::new();

/// A connection with one method, handle 3 with id 2, whose gate is open for this number of samples; its gates
/// and its rings.
fn connection(left: u64) -> (Connection, [Memory; 2]) {
    let gates = Memory::map(GATES_BYTES).unwrap();
    let shared: &'static Shared = Box::leak(Box::new(Shared::new(gates)));
    let blocks = shared.map_blocks().unwrap();
    let (options, mistakes) = Options::read("", |_| None);
    let hello = Hello { java_version: String::new(), command: String::new(), compiles: true };
    let (done, has_ended) = (mpsc::channel().1, mpsc::channel().0);
    let mut connection = Connection::new(Given {
        shared,
        options,
        mistakes,
        hello,
        begin: None,
        done,
        life: &ALIVE,
        has_ended,
        leaves: false,
    });
    let method = MethodRef::new("C", "f", "()V").unwrap();
    let instrument = Instrument { method, kind: ProbeKind::Times(Sizing::None) };
    connection.station.define(Handle(3), instrument).unwrap();
    connection.times.begin();
    if left > 0 {
        connection.arm(Handle(3), 1, left);
    }
    blocks.u64_at(layout::USED).store(1, Relaxed);
    (connection, [gates, blocks])
}

#[test]
fn probes_are_looked_for_where_a_gate_is_open_and_no_call_comes() {
    let (mut connection, [_, blocks]) = connection(100);
    let (commands, orders) = mpsc::channel();
    connection.given.shared.connect(commands);
    let looks = |connection: &mut Connection| {
        connection.looked_for = Instant::now().checked_sub(LOOK_FOR_PROBES_EVERY).unwrap();
        connection.look_for_probes();
        // No second look before the interval has passed.
        connection.look_for_probes();
        orders
            .try_iter()
            .map(|order| {
                let Command::Look(ids) = order else { panic!("{order:?}") };
                ids.into_iter().map(|id| id.0).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(looks(&mut connection), [[2]]);
    record(blocks, 2, 10, 20);
    connection.times.drain(&mut connection.station);
    assert_eq!(looks(&mut connection), [[0; 0]; 0], "a call was seen");
    assert_eq!(looks(&mut connection), [[2]]);
    connection.station.disarm(Handle(3));
    assert_eq!(looks(&mut connection), [[2]], "it was open for a part of the time");
    assert_eq!(looks(&mut connection), [[0; 0]; 0], "it was closed all the time");
}

#[test]
fn a_call_that_runs_on_behind_a_closed_gate_is_looked_for_less_and_less_often() {
    let (mut connection, _) = connection(100);
    let due = Duration::from_millis(70);
    assert_eq!(
        (connection.pause(due), connection.pause(due)),
        (DRAIN_EVERY, DRAIN_EVERY),
        "the gate is open"
    );
    connection.station.disarm(Handle(3));
    let pauses = [(); 9].map(|()| connection.pause(due).as_millis());
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 70, 70]);
    assert_eq!(connection.pause(Duration::from_secs(9)), Duration::from_millis(100));
    connection.station.disarm(Handle(3));
    assert_eq!(connection.pause(due), DRAIN_EVERY, "a gate was closed just now");
    connection.station.forget_closings();
    assert_eq!((connection.pause(due), connection.pause(Duration::ZERO)), (due, DRAIN_EVERY));
}

#[test]
fn orders_wait_with_the_controller_while_the_agent_thread_is_behind() {
    let (mut connection, _) = connection(0);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut stream = Stream::over(ours);
    let (commands, orders) = mpsc::channel();
    connection.given.shared.connect(commands);
    let (mut encoder, mut restores) = (Encoder::default(), Vec::new());
    for _ in 0..20 {
        encoder.encode(&ToAgent::Restore { handles: vec![Handle(3); 1000] }, &mut restores).unwrap();
    }
    theirs.write_all(&restores).unwrap();
    // Each message names a thousand methods.
    connection.listen(&mut stream, true).unwrap();
    let waiting = || std::iter::from_fn(|| orders.try_recv().ok());
    let first = waiting().inspect(|command| connection.given.shared.taken(command)).count();
    assert!((1..20).contains(&first), "{first} of 20");
    connection.listen(&mut stream, true).unwrap();
    assert_eq!(first + waiting().count(), 20);
}

#[test]
fn warnings_of_any_length_arrive() {
    let (mut connection, _) = connection(0);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let (tell, done) = mpsc::channel();
    connection.given.done = done;
    // Longer than a frame may be; three bytes a character.
    tell.send(Reply::Warning("\u{20ac}".repeat(1 << 20))).unwrap();
    let mut stream = Stream::over(ours);
    assert!(connection.forward(&mut stream).is_none());
    stream.flush().unwrap();
    drop(stream);
    let (mut decoder, mut bytes) = (spl_wire::Decoder::default(), Vec::new());
    theirs.read_to_end(&mut bytes).unwrap();
    decoder.push(&bytes);
    let Ok(Some(ToController::Warning { text })) = decoder.next() else { panic!("{} bytes", bytes.len()) };
    assert_eq!(text, "\u{20ac}".repeat(LONGEST_WARNING / 3));
}

#[test]
fn labels_have_the_numbers_under_which_they_are_kept() {
    let (connection, _) = connection(0);
    let state = connection.given.shared;
    assert_eq!(["a", "b", "c"].map(|text| state.label(text.to_owned())), [Some(0), Some(1), Some(2)]);
    let sent = state.labels_from(1).into_iter().map(|label| (label.id, label.text));
    assert_eq!(sent.collect::<Vec<_>>(), [(1, "b".to_owned()), (2, "c".to_owned())]);
    // A label that the program forgot, for example without memory to note it, gets a new number and takes no
    // other label's.
    assert_eq!((state.label("b".to_owned()), state.labels_from(3)[0].id), (Some(3), 3));
    let last = (0..1 << 20).take_while(|n| state.label(n.to_string()).is_some()).count();
    assert_eq!((state.label("more".to_owned()), state.labels_from(4).len()), (None, last));
}

#[test]
fn the_end_of_calls_behind_a_closed_gate_is_told_after_their_samples() {
    let (mut connection, [_, blocks]) = connection(100);
    let said = |connection: &mut Connection| {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut stream = Stream::over(ours);
        connection.say_idle(&mut stream);
        stream.flush().unwrap();
        drop(stream);
        let (mut decoder, mut bytes) = (spl_wire::Decoder::default(), Vec::new());
        theirs.read_to_end(&mut bytes).unwrap();
        decoder.push(&bytes);
        std::iter::from_fn(|| decoder.next().unwrap()).collect::<Vec<ToController>>()
    };
    // A thread runs a call that the first opening admitted.
    let cell = layout::CELLS + (2 << layout::CELL_SHIFT);
    let opening = connection.given.shared.gates.epoch(InstrumentId(2));
    blocks.u64_at(layout::OWNER).store(!7, Relaxed);
    blocks.u32_at(cell + layout::CELL_EPOCH).store(opening, Relaxed);
    blocks.u32_at(cell + layout::CELL_DEPTH).store(1, Relaxed);
    connection.station.disarm(Handle(3));
    assert_eq!(said(&mut connection), []);
    // The call ends and leaves its sample.
    record(blocks, 2, 10, 20);
    blocks.u32_at(cell + layout::CELL_DEPTH).store(0, Relaxed);
    let told = said(&mut connection);
    let [ToController::Readings { .. }, ToController::Idle { handle: Handle(3), number: 1 }] = &told[..]
    else {
        panic!("{told:?}")
    };
    assert_eq!(said(&mut connection), [], "each once");
}

#[test]
fn an_agent_thread_that_does_not_answer_is_not_waited_for_without_end() {
    let (mut connection, _) = connection(0);
    let (_silent, done) = mpsc::channel();
    connection.given.done = done;
    let within = Duration::from_millis(20);
    assert!(connection.ask(Command::Prepare, within, |_| Some(())).is_none());
    let (answers, done) = mpsc::channel();
    connection.given.done = done;
    answers.send(Reply::Warning(String::new())).unwrap();
    answers.send(Reply::Ready(Ok(()))).unwrap();
    let ready = |reply| if let Reply::Ready(ready) = reply { Some(ready) } else { None };
    assert_eq!(connection.ask(Command::Prepare, within, ready), Some((Ok(()), Vec::new())));
}

#[test]
fn no_thread_joins_a_jvm_that_ends() {
    static ENDING: Life = Life::new();
    let (mut connection, _) = connection(0);
    connection.given.life = &ENDING;
    connection.given.begin = Some(Box::new(|| panic!("a thread joined the JVM")));
    ENDING.ends();
    assert!(connection.prepare().is_none());
    // A controller is there and is not connected either.
    let folder = std::env::temp_dir().join(format!("spl-ending-{}-{}", std::process::id(), sys::now_ns()));
    let listener = std::os::unix::net::UnixListener::bind(&folder).unwrap();
    connection.given.options.socket = Some(folder.clone());
    let (has_ended, ended) = mpsc::channel();
    connection.given.has_ended = has_ended;
    let sleeper = crate::waker::Waker::default().open().unwrap();
    connection.run(&sleeper);
    ended.recv_timeout(Duration::from_secs(60)).unwrap();
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
    std::fs::remove_file(folder).unwrap();
}
