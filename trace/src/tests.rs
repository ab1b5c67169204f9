//! Random runs of methods, told as the woven code tells them: a replay makes the same of them. With gaps nothing it says is wrong.

use crate::words::{Event, write};
use crate::{
    Counts, Detail, Frame, Hot, Left, Merge, MethodPaths, Methods, Paths, Ran, Replay, Slot, Stack, Tag,
    Tree, Visit, Worst,
};
use proptest::prelude::*;
use spl_classfile::class::ClassFile;
use spl_graph::{Exit, Graph, Next, SegmentStep, Segments};

mod timed;

/// A class `T` with static methods without parameters; those with a handler catch everything that their first 14 bytes throw.
fn class(codes: &[(&[u8], bool)]) -> Vec<u8> {
    let text = |text: &str| [&[1, 0, text.len() as u8][..], text.as_bytes()].concat();
    let mut pool =
        vec![text("T"), vec![7, 0, 1], text("java/lang/Object"), vec![7, 0, 3], text("()V"), text("Code")];
    // The called method.
    pool.extend([text("c"), vec![12, 0, 7, 0, 5], vec![10, 0, 2, 0, 8]]);
    let first = pool.len() as u8 + 1;
    pool.extend((0..codes.len()).map(|number| text(&format!("m{number}"))));
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49, 0, pool.len() as u8 + 1];
    out.extend(pool.concat());
    out.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, codes.len() as u8]);
    for ((code, catches), name) in codes.iter().zip(first..) {
        let mut info = vec![0, 4, 0, 4, 0, 0, 0, code.len() as u8];
        info.extend(*code);
        info.extend(if *catches { vec![0, 1, 0, 0, 0, 14, 0, 15, 0, 0] } else { vec![0, 0] });
        info.extend([0, 0]);
        out.extend([0, 9, 0, name, 0, 5, 0, 1, 0, 6, 0, 0, 0, info.len() as u8]);
        out.extend(info);
    }
    out.extend([0, 0]);
    out
}

const CALL: [u8; 3] = [0xb8, 0, 9];

/// Loops with calls, with a handler and without; one segment that cannot be stopped, and one that can; calls in a row.
fn methods() -> Vec<u8> {
    let loops = [&CALL[..], &[3, 0x99, 0xff, 0xfc, 3, 0x9a, 0, 6], &CALL, &[0xb1, 0x57, 0xb1]].concat();
    let row = [&CALL[..], &CALL, &[0xb1]].concat();
    class(&[
        (&loops, true),
        (&loops[..15], false),
        (&[0xb1], false),
        (&[3, 3, 0x6c, 0x57, 0xb1], false),
        (&row, false),
    ])
}

/// An activation that really runs.
struct Active {
    id: Tag,
    method: usize,
    block: usize,
    /// Calls that it has made in its block.
    calls: usize,
    number: u32,
}

/// The events of a run, each with the stack behind it, by the ids of its activations, and what is begun by it.
struct Run {
    events: Vec<(Event, Vec<Tag>, Option<Tag>)>,
    /// For each activation its blocks.
    blocks: Vec<Vec<u32>>,
}

struct Runner<'g> {
    graphs: &'g [(Graph<'g>, Segments)],
    stack: Vec<Active>,
    run: Run,
}

impl Runner<'_> {
    fn tell(&mut self, event: Event, began: Option<Tag>) {
        self.run.events.push((event, self.stack.iter().map(|one| one.id).collect(), began));
    }

    fn enter(&mut self, method: usize) {
        let (graph, segments) = &self.graphs[method];
        let id = self.run.blocks.len() as Tag;
        self.run.blocks.push(vec![0]);
        let depth = (self.stack.len() + 1) as u8;
        let event = Event::Enter { depth, method: method as u32 * 3 };
        self.stack.push(Active { id, method, block: 0, calls: 0, number: segments.begin(0).unwrap() });
        self.tell(event, Some(id));
        if segments.is_single(graph) && graph.blocks[0].throws.is_none() {
            self.stack.pop();
        }
    }

    /// Passes a way; whether the activation goes on.
    fn pass(&mut self, step: SegmentStep) {
        let depth = self.stack.len() as u8;
        let Some(top) = self.stack.last_mut() else { return };
        top.number += step.add;
        let Some(next) = step.next else { return };
        let event = Event::Segment { depth, number: top.number, untold: false };
        match next {
            Next::Number(number) => top.number = number,
            Next::Handler => unreachable!("no code leads to the handler"),
            Next::Returns => {
                self.stack.pop();
            }
        }
        self.tell(event, None);
    }

    fn throw(&mut self) {
        while let Some(top) = self.stack.last_mut() {
            let (graph, segments) = &self.graphs[top.method];
            let (depth, number) = (self.run_depth(), self.stack.last().map_or(0, |top| top.number));
            let top = self.stack.last_mut().expect("it is there");
            if let Some(handler) =
                graph.handlers.first().filter(|handler| graph.blocks[top.block].first < handler.end)
            {
                (top.block, top.calls, top.number) =
                    (handler.target, 0, segments.begin(handler.target).unwrap());
                self.run.blocks[top.id as usize].push(handler.target as u32);
                return self.tell(
                    Event::Caught {
                        block: handler.target as u32,
                        depth,
                        number: Some(number),
                        untold: false,
                    },
                    None,
                );
            }
            self.stack.pop();
            self.tell(Event::Thrown { depth, number, untold: false }, None);
        }
    }

    fn run_depth(&self) -> u32 {
        self.stack.len() as u32
    }

    fn step(&mut self, choice: usize) {
        let Some(top) = self.stack.last() else { return self.enter(choice % self.graphs.len()) };
        let (graph, segments) = &self.graphs[top.method];
        let block = &graph.blocks[top.block];
        if segments.is_single(graph) {
            // Nothing tells that it ends.
            if choice.is_multiple_of(3) {
                self.throw();
            } else {
                self.stack.pop();
            }
        } else if let Some(call) = block.calls.get(top.calls) {
            let at = call.at;
            self.pass(segments.at_call(at).unwrap());
            self.stack.last_mut().unwrap().calls += 1;
            match choice % 4 {
                0 if self.stack.len() > 1 => self.throw(),
                1 => {}
                _ if self.stack.len() < 30 => self.enter(choice / 4 % self.graphs.len()),
                _ => {}
            }
        } else if block.exit == Some(Exit::Return) {
            self.pass(segments.at_return(top.block).unwrap());
        } else {
            let flows: Vec<usize> =
                block.edges.clone().filter(|&edge| !graph.edges[edge].kind.is_exception()).collect();
            let edge = flows[choice % flows.len()];
            let to = graph.edges[edge].to;
            self.pass(segments.on_edge(edge).unwrap());
            let top = self.stack.last_mut().unwrap();
            (top.block, top.calls) = (to, 0);
            self.run.blocks[top.id as usize].push(to as u32);
        }
    }
}

/// Compares a replay with the truth.
#[derive(Default)]
struct Judge {
    began: Option<Tag>,
    blocks: Vec<(Tag, Vec<u32>)>,
    left: Vec<(Tag, Left)>,
}

impl Visit for Judge {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, _: u32) -> Tag {
        self.began.take().expect("only an event that begins an activation does")
    }

    fn segment(&mut self, _: &Stack, tag: Tag, _: u32, ran: &Ran) {
        self.blocks.push((tag, ran.blocks.clone()));
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        self.left.push((frame.tag, left));
    }
}

/// The depth in front of an event and the lowest one then and behind it, as the recorder has them.
fn depths(event: Event, before: u32) -> (u32, u32) {
    match event {
        Event::Enter { .. } => (before, before),
        Event::Thrown { depth, .. } => (depth, depth - 1),
        Event::Caught { depth, .. } => (depth, depth),
        Event::Segment { .. }
        | Event::Time { .. }
        | Event::Pad
        | Event::Gap { .. }
        | Event::Thread { .. }
        | Event::Place { .. }
        | Event::Receiver { .. }
        | Event::Call { .. } => (before, before),
    }
}

fn with_graphs(check: impl FnOnce(&[(Graph<'_>, Segments)], Methods)) {
    let bytes = methods();
    let file = ClassFile::read(&bytes).unwrap();
    let graphs = file.methods.iter().map(|method| Graph::of(&file, method).unwrap());
    let graphs: Vec<_> = graphs.map(|graph| (Segments::of(&graph), graph)).map(|(s, g)| (g, s)).collect();
    let mut methods = Methods::default();
    graphs.iter().zip(0..).for_each(|((graph, _), number)| assert!(methods.add(number * 3, graph)));
    check(&graphs, methods);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn a_replay_is_what_ran_and_with_gaps_never_anything_else(
        choices in proptest::collection::vec(any::<usize>(), 1..400),
        gaps in proptest::collection::vec((0_usize..400, 1_usize..40), 0..5),
    ) {
        with_graphs(|graphs, mut methods| {
            let mut runner = Runner { graphs, stack: Vec::new(), run: Run { events: Vec::new(), blocks: Vec::new() } };
            choices.iter().for_each(|choice| runner.step(*choice));
            let run = runner.run;
            let (mut replay, mut judge) = (Replay::default(), Judge::default());
            let is_lost = |place: usize| gaps.iter().any(|(from, count)| (*from..from + count).contains(&place));
            let (mut lost, mut lowest) = (0_u32, u32::MAX);
            for (place, (event, stack, began)) in run.events.iter().enumerate() {
                let after = stack.len() as u32;
                // An activation of a single segment stays on the true stack until the next event.
                let before = match event {
                    Event::Enter { .. } => after - 1,
                    Event::Segment { depth, .. } => u32::from(*depth),
                    Event::Caught { .. }
                    | Event::Thrown { .. }
                    | Event::Time { .. }
                    | Event::Pad
                    | Event::Gap { .. }
                    | Event::Thread { .. }
                    | Event::Place { .. }
                    | Event::Receiver { .. }
                    | Event::Call { .. } => after,
                };
                let (before, low) = depths(*event, before);
                if is_lost(place) {
                    (lost, lowest) = (lost + 1, lowest.min(low).min(after));
                    continue;
                }
                let mut words = Vec::new();
                if lost > 0 {
                    write(Event::Gap { lost, depth: before, lowest: lowest.min(before) }, &mut words);
                    (lost, lowest) = (0, u32::MAX);
                }
                write(*event, &mut words);
                judge.began = *began;
                replay.words(&words, &mut methods, &mut judge).unwrap();
                let mut depth = 0;
                for slot in replay.stack().slots() {
                    match slot {
                        Slot::Unknown(count) => depth += *count as usize,
                        Slot::Known(frame) => {
                            depth += 1;
                            assert_eq!(stack.get(depth - 1), Some(&frame.tag), "depth {depth} behind {event:?}, {place}");
                        }
                    }
                }
                if gaps.is_empty() {
                    assert_eq!(depth, stack.len(), "behind {event:?}, {place}");
                }
            }
            if gaps.is_empty() {
                let mut told = vec![Vec::new(); run.blocks.len()];
                judge.blocks.into_iter().for_each(|(tag, blocks)| told[tag as usize].extend(blocks));
                let open: Vec<Tag> = runner_open(&run);
                for (id, (told, ran)) in told.iter().zip(&run.blocks).enumerate() {
                    let is_open = open.contains(&(id as Tag));
                    assert!(told == ran || is_open && ran.starts_with(told), "{id}: {told:?} of {ran:?}");
                }
                assert_eq!(replay.unseen, 0);
            }
        });
    }

    #[test]
    fn all_words_are_replayed_or_refused(words in proptest::collection::vec(any::<u32>(), 0..200)) {
        with_graphs(|_, mut methods| {
            struct Nothing;
            impl Visit for Nothing {
                fn enter(&mut self, _: &Stack, _: Option<Tag>, _: u32) -> Tag { 0 }
                fn segment(&mut self, _: &Stack, _: Tag, _: u32, _: &Ran) {}
                fn leave(&mut self, _: &Stack, _: &Frame, _: Left) {}
            }
            let mut replay = Replay::default();
            for at in 0..words.len() {
                let _ = replay.words(&words[at..], &mut methods, &mut Nothing);
                assert!(replay.stack().slots().len() <= 2 * (at + 1) * words.len());
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn what_is_told_of_threads_apart_is_put_together(
        one in proptest::collection::vec(any::<usize>(), 1..200),
        other in proptest::collection::vec(any::<usize>(), 1..200),
    ) {
        with_graphs(|graphs, methods| {
            let (one, other) = (words_of(graphs, &one), words_of(graphs, &other));
            fn all<V: Visit + Merge>(threads: [&[u32]; 2], methods: &Methods, make: impl Fn() -> V, cut: fn(&mut V)) -> [V; 2] {
                let replayed = |visit: &mut V, words: &[u32]| {
                    let mut replay = Replay::default();
                    cut(visit);
                    replay.words(words, &mut methods.clone(), visit).unwrap();
                    replay.end(visit);
                };
                let (mut at_once, mut apart) = (make(), make());
                for words in threads {
                    replayed(&mut at_once, words);
                    let mut alone = make();
                    replayed(&mut alone, words);
                    apart.merge(alone);
                }
                [at_once, apart]
            }
            let threads = [&one[..], &other];
            let [at_once, apart] = all(threads, &methods, Counts::default, |_| ());
            assert_eq!((at_once.segments, at_once.blocks), (apart.segments, apart.blocks));
            for place in 0..graphs.len() as u32 {
                assert_eq!((at_once.blocks(place), at_once.calls(place)), (apart.blocks(place), apart.calls(place)));
                assert_eq!(at_once.is_open(place), apart.is_open(place));
            }
            let [at_once, apart] = all(threads, &methods, Tree::default, |_| ());
            assert_eq!(at_once.nodes(), apart.nodes());
            let [at_once, apart] = all(threads, &methods, Worst::default, |_| ());
            assert_eq!(at_once.methods(), apart.methods());
            let [at_once, apart] = all(threads, &methods, || Hot::new(3), Hot::cut);
            assert_eq!(at_once.most(usize::MAX), apart.most(usize::MAX));
            let [at_once, apart] = all(threads, &methods, || Paths::new(&methods, Detail::Counts, |_| true), |_| ());
            for (one, other) in at_once.methods().iter().zip(apart.methods()) {
                let told = |of: &MethodPaths| {
                    let mut all: Vec<_> = of.most().into_iter().map(|path| (of.key(path), path.count, path.bytecodes)).collect();
                    all.sort_unstable();
                    (all, of.entries, of.partly, of.other)
                };
                assert_eq!(told(one), told(other));
            }
        });
    }
}

proptest! {
    #[test]
    fn a_receiver_is_that_of_the_activation_or_unknown(
        calls in proptest::collection::vec((0_u32..4, 1_u32..4, 0_u8..12), 1..200),
    ) {
        with_graphs(|_, mut methods| {
            #[derive(Default)]
            struct Told { receiver: Option<u32>, all: Vec<Option<u32>> }
            impl Visit for Told {
                fn receiver(&mut self, class: u32) { self.receiver = Some(class); }
                fn enter(&mut self, _: &Stack, _: Option<Tag>, _: u32) -> Tag {
                    self.all.push(self.receiver.take());
                    0
                }
                fn segment(&mut self, _: &Stack, _: Tag, _: u32, _: &Ran) {}
                fn leave(&mut self, _: &Stack, _: &Frame, _: Left) {}
            }
            // The recorder keeps two receivers, and forgets them where it tells of a gap. Words are lost now and then.
            let (mut kept, mut lost, mut words, mut expected) = ([None; 2], 0, Vec::new(), Vec::new());
            for (method, class, chance) in calls {
                if chance == 0 {
                    lost += 1;
                    continue;
                }
                if lost > 0 {
                    write(Event::Gap { lost, depth: 0, lowest: 0 }, &mut words);
                    (kept, lost) = ([None; 2], 0);
                }
                let entry = &mut kept[method as usize % 2];
                if *entry != Some((method, class)) {
                    write(Event::Receiver { method: method * 3, class }, &mut words);
                    *entry = Some((method, class));
                    // The call behind it may overflow the stack.
                    if chance == 1 {
                        continue;
                    }
                }
                write(Event::Enter { depth: 1, method: method * 3 }, &mut words);
                expected.push(Some(class));
            }
            let mut told = Told::default();
            Replay::default().words(&words, &mut methods, &mut told).unwrap();
            assert_eq!(told.all, expected);
        });
    }
}

/// The words of a run.
fn words_of(graphs: &[(Graph<'_>, Segments)], choices: &[usize]) -> Vec<u32> {
    let run = Run { events: Vec::new(), blocks: Vec::new() };
    let mut runner = Runner { graphs, stack: Vec::new(), run };
    choices.iter().for_each(|choice| runner.step(*choice));
    let mut words = Vec::new();
    runner.run.events.iter().for_each(|(event, _, _)| write(*event, &mut words));
    words
}

/// The activations that are under way at the end.
fn runner_open(run: &Run) -> Vec<Tag> {
    run.events.last().map(|(_, stack, _)| stack.clone()).unwrap_or_default()
}
