//! The drain, on rings that the test fills.

use super::*;
use crate::layout::{self, GATES_BYTES};
use crate::memory::Memory;
use crate::waker;
use spl_wire::Encoder;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

static ALIVE: Life = Life::new();

fn instrument(class: &str) -> Instrument {
    let method = MethodRef::new(class, "f", "()V").unwrap();
    Instrument { method, kind: ProbeKind::Times(spl_model::Sizing::None) }
}

/// A link with one method, number 3 with id 1, whose gate is open for so many samples; its gates and its rings.
fn link(left: u64) -> (Link, [Memory; 2]) {
    let gates = Memory::map(GATES_BYTES).unwrap();
    let state: &'static State = Box::leak(Box::new(State::new(gates)));
    let blocks = state.map_blocks().unwrap();
    let (options, mistakes) = Options::read("", |_| None);
    let hello = Hello { java_version: String::new(), command: String::new() };
    let sleeper = waker::pair().unwrap().1;
    let (done, has_ended) = (mpsc::channel().1, mpsc::channel().0);
    let mut link = Link::new(Parts {
        state,
        options,
        mistakes,
        hello,
        begin: None,
        done,
        sleeper,
        life: &ALIVE,
        has_ended,
    });
    let method = Method {
        instrument: instrument("C"),
        id: Some(InstrumentId(1)),
        left,
        unbounded: false,
        taken: 0,
        limited: false,
        every: 1,
        closed: (0, 0),
        opened: (false, 0),
        bypass: None,
    };
    link.rings();
    link.methods.insert(Handle(3), method);
    link.handles.insert(InstrumentId(1), Handle(3), None);
    (link.open, link.may_come) = ((left > 0).then_some(Handle(3)).into_iter().collect(), left);
    state.gates.open(InstrumentId(1), 1, left);
    blocks.u64_at(layout::USED).store(1, Relaxed);
    (link, [gates, blocks])
}

/// What a probe of the method with this id leaves in the first thread's ring.
fn record(blocks: Memory, id: u64, start_ns: u64, end_ns: u64) {
    let head = blocks.u64_at(layout::HEAD);
    let at = head.load(Relaxed);
    let slot = layout::RING + (((at % layout::OWN_SLOTS) as usize) << layout::OWN_SLOT_SHIFT);
    let fields = [
        (layout::START, start_ns),
        (layout::END, end_ns),
        (layout::META, id << layout::CELL_SHIFT),
        (layout::SIZE, u64::MAX),
    ];
    for (field, value) in fields {
        blocks.u64_at(slot + field).store(value, Relaxed);
    }
    head.store(at + 1, Ordering::Release);
}

#[test]
fn a_call_that_ends_before_it_starts_is_dropped_and_counted() {
    let (mut link, [_, blocks]) = link(100);
    record(blocks, 1, 10, 20);
    record(blocks, 1, 30, 29);
    record(blocks, 1, 40, 40);
    link.drain();
    let times = link.waiting.iter().map(|sample| (sample.handle, sample.start_ns, sample.end_ns));
    assert_eq!(times.collect::<Vec<_>>(), [(Handle(3), 10, 20), (Handle(3), 40, 40)]);
    assert_eq!((link.anomalies, link.dropped), (1, 0));
}

#[test]
fn calls_of_methods_that_nobody_asked_for_are_passed_over() {
    let (mut link, [_, blocks]) = link(100);
    for id in [0, 2, u64::from(u32::MAX)] {
        record(blocks, id, 10, 20);
    }
    link.drain();
    assert_eq!((link.waiting.len(), link.anomalies, link.dropped), (0, 0, 0));
}

#[test]
fn the_gate_closes_with_the_last_sample_of_its_quota() {
    let (mut link, [gates, blocks]) = link(2);
    let is_open = || gates.u32_at((1 << layout::GATE_SHIFT) + layout::GATE_EVERY).load(Relaxed) != 0;
    record(blocks, 1, 10, 20);
    link.drain();
    assert!(is_open());
    // Each thread may take the quota: what is too much is sent and counted as well.
    (0..3).for_each(|_| record(blocks, 1, 30, 40));
    link.drain();
    assert!(!is_open());
    assert_eq!((link.waiting.len(), link.methods[&Handle(3)].taken), (4, 4));
}

#[test]
fn probes_are_looked_for_where_a_gate_is_open_and_no_call_comes() {
    let (mut link, [_, blocks]) = link(100);
    let (commands, orders) = mpsc::channel();
    link.parts.state.connect(commands);
    let looks = |link: &mut Link| {
        link.looked_for = Instant::now().checked_sub(LOOK_FOR_PROBES_EVERY).unwrap();
        link.look_for_probes();
        // Not again before it is time.
        link.look_for_probes();
        orders
            .try_iter()
            .map(|order| match order {
                Command::Look(ids) => ids.into_iter().map(|id| id.0).collect::<Vec<_>>(),
                other => panic!("{other:?}"),
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(looks(&mut link), [[0; 0]; 0], "nobody knows yet for how long it is open");
    assert_eq!(looks(&mut link), [[1]]);
    record(blocks, 1, 10, 20);
    link.drain();
    assert_eq!(looks(&mut link), [[0; 0]; 0], "a call was seen");
    assert_eq!(looks(&mut link), [[1]]);
    link.disarm(Handle(3));
    assert_eq!(looks(&mut link), [[1]], "it was open for a part of the time");
    assert_eq!(looks(&mut link), [[0; 0]; 0], "it was closed all the time");
}

#[test]
fn a_call_that_runs_on_behind_a_closed_gate_is_looked_for_ever_less_often() {
    let (mut link, _) = link(100);
    let due = Duration::from_millis(70);
    assert_eq!((link.pause(due), link.pause(due)), (DRAIN_EVERY, DRAIN_EVERY), "the gate is open");
    link.disarm(Handle(3));
    let pauses = [(); 9].map(|()| link.pause(due).as_millis());
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 70, 70]);
    assert_eq!(link.pause(Duration::from_secs(9)), LOOK_LAST);
    link.disarm(Handle(3));
    assert_eq!(link.pause(due), DRAIN_EVERY, "a gate was closed just now");
    link.closing.clear();
    assert_eq!((link.pause(due), link.pause(Duration::ZERO)), (due, DRAIN_EVERY));
}

#[test]
fn orders_wait_with_the_controller_while_the_agent_thread_is_behind() {
    let (mut link, _) = link(0);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut stream = Stream::over(ours);
    let (commands, orders) = mpsc::channel();
    link.parts.state.connect(commands);
    let (mut encoder, mut restores) = (Encoder::default(), Vec::new());
    for _ in 0..20 {
        encoder.encode(&ToAgent::Restore { handles: vec![Handle(3); 1000] }, &mut restores).unwrap();
    }
    theirs.write_all(&restores).unwrap();
    // Each is a thousand methods.
    link.listen(&mut stream, true).unwrap();
    let waiting = || std::iter::from_fn(|| orders.try_recv().ok());
    let first = waiting().inspect(|command| link.parts.state.taken(command)).count();
    assert!((1..20).contains(&first), "{first} of 20");
    link.listen(&mut stream, true).unwrap();
    assert_eq!(first + waiting().count(), 20);
}

#[test]
fn names_that_are_too_long_together_are_not_defined() {
    let (mut link, _) = link(0);
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let mut stream = Stream::over(ours);
    let long = "x".repeat(60_000);
    for handle in 10..400 {
        link.define(&mut stream, Handle(handle), instrument(&format!("{long}{handle}")));
    }
    assert!((200..300).contains(&link.methods.len()), "{}", link.methods.len());
}

#[test]
fn warnings_of_any_length_arrive() {
    let (mut link, _) = link(0);
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let (tell, done) = mpsc::channel();
    link.parts.done = done;
    // More than a frame may hold; three bytes each.
    tell.send(Done::Warning("\u{20ac}".repeat(1 << 20))).unwrap();
    let mut stream = Stream::over(ours);
    assert!(link.forward(&mut stream).is_none());
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
    let (link, _) = link(0);
    let state = link.parts.state;
    assert_eq!(["a", "b", "c"].map(|text| state.label(text.to_owned())), [Some(0), Some(1), Some(2)]);
    let sent = state.labels_from(1).into_iter().map(|label| (label.id, label.text));
    assert_eq!(sent.collect::<Vec<_>>(), [(1, "b".to_owned()), (2, "c".to_owned())]);
    // One that the program forgot, as when it had no memory to note it, gets another number and takes nobody's.
    assert_eq!((state.label("b".to_owned()), state.labels_from(3)[0].id), (Some(3), 3));
    let last = (0..1 << 20).take_while(|n| state.label(n.to_string()).is_some()).count();
    assert_eq!((state.label("more".to_owned()), state.labels_from(4).len()), (None, last));
}

#[test]
fn a_closing_is_over_when_its_own_calls_have_ended() {
    let (mut link, [_, blocks]) = link(100);
    let open = |link: &Link| link.parts.state.gates.open(InstrumentId(1), 1, 9);
    let opening = |link: &Link| link.parts.state.gates.epoch(InstrumentId(1));
    let said = |link: &mut Link| {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut stream = Stream::over(ours);
        link.say_idle(&mut stream);
        stream.flush().unwrap();
        drop(stream);
        let (mut decoder, mut bytes) = (spl_wire::Decoder::default(), Vec::new());
        theirs.read_to_end(&mut bytes).unwrap();
        decoder.push(&bytes);
        let number = |message| match message {
            ToController::Idle { handle: Handle(3), number } => number,
            other => panic!("{other:?}"),
        };
        std::iter::from_fn(|| decoder.next().unwrap()).map(number).collect::<Vec<_>>()
    };
    // A thread is in a call that the first opening let through.
    let cell = layout::CELLS + (1 << layout::CELL_SHIFT);
    blocks.u64_at(layout::OWNER).store(!7, Relaxed);
    blocks.u32_at(cell + layout::CELL_EPOCH).store(opening(&link), Relaxed);
    blocks.u32_at(cell + layout::CELL_DEPTH).store(1, Relaxed);
    link.disarm(Handle(3));
    assert_eq!(said(&mut link), [0; 0]);
    // Of the next openings no call runs, and of one that is not closed nobody asks.
    open(&link);
    assert_eq!(said(&mut link), [0; 0]);
    link.disarm(Handle(3));
    assert_eq!(said(&mut link), [2]);
    open(&link);
    open(&link);
    link.disarm(Handle(3));
    assert_eq!(said(&mut link), [3]);
    // The call ends, or the thread's next one is of a later opening.
    blocks.u32_at(cell + layout::CELL_DEPTH).store(0, Relaxed);
    assert_eq!(said(&mut link), [1]);
    assert_eq!(said(&mut link), [0; 0], "each once");
    // Nobody asks for the end of the calls of a method that is restored.
    open(&link);
    link.shut(Handle(3));
    assert_eq!(said(&mut link), [0; 0]);
    link.disarm(Handle(3));
    (0..MOST_CLOSINGS).for_each(|_| link.disarm(Handle(3)));
    assert_eq!(link.closing[&Handle(3)].len(), MOST_CLOSINGS);
}
