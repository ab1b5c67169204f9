//! Times of activations: exact between clocks that are there, and unknown where one is missing.

use super::with_graphs;
use crate::words::{Event, write};
use crate::{Call, Left, Replay, Slowest, Timeline, Timing, Timings, Told};
use spl_graph::{Next, Segments};

/// Numbers in words: three calls in a row, one segment, and one segment that an exception may stop.
const ROW: u32 = 12;
const SINGLE: u32 = 6;
const GUARDED: u32 = 9;

#[derive(Default)]
struct All(Vec<Timing>);

impl Told for All {
    fn told(&mut self, timing: Timing) {
        self.0.push(timing);
    }
}

/// The numbers of the segments of the method with two calls in a row, the last one up to its return.
fn row(segments: &Segments) -> [u32; 3] {
    let mut number = segments.begin(0).unwrap();
    let steps = [segments.at_call(0), segments.at_call(3), segments.at_return(0)];
    steps.map(|step| {
        let step = step.unwrap();
        let this = number + step.add;
        if let Some(Next::Number(next)) = step.next {
            number = next;
        }
        this
    })
}

fn ns(ns: u64) -> Event {
    Event::Time { ns }
}

fn enter(depth: u8, method: u32) -> Event {
    Event::Enter { depth, method }
}

/// The timings of a thread whose events are made from the segments of the row.
fn timings(events: impl Fn([u32; 3]) -> Vec<Event>) -> Vec<Timing> {
    replayed(All::default(), events).told.0
}

fn replayed<T: Told>(told: T, events: impl Fn([u32; 3]) -> Vec<Event>) -> Timings<T> {
    let (mut timings, mut events, told) = (None, Some(events), Some(told));
    with_graphs(|graphs, mut methods| {
        let events = events.take().unwrap()(row(&graphs[4].1));
        let mut words = Vec::new();
        events.into_iter().for_each(|event| write(event, &mut words));
        let (mut replay, mut visit) = (Replay::default(), Timings::new(told.unwrap()));
        visit.begin(7);
        replay.words(&words, &mut methods, &mut visit).unwrap();
        replay.end(&mut visit);
        visit.finish();
        assert_eq!((replay.unseen, replay.untold), (0, 0));
        timings = Some(visit);
    });
    timings.unwrap()
}

/// Level, total and own time of each.
fn times(timings: &[Timing]) -> Vec<(u32, Option<u64>, Option<u64>)> {
    timings.iter().map(|one| (one.level, one.total(), one.own)).collect()
}

fn segment(depth: u8, number: u32) -> Event {
    Event::Segment { depth, number, untold: false }
}

#[test]
fn own_times_add_up_to_the_whole() {
    let nested = |[one, two, end]: [u32; 3]| {
        let inner = [ns(20), enter(2, ROW), segment(2, one), segment(2, two), ns(50), segment(2, end)];
        let first = [ns(10), enter(1, ROW), segment(1, one)];
        let last = [segment(1, two), ns(60), enter(2, SINGLE), ns(75), segment(1, end)];
        [&first[..], &inner, &last].concat()
    };
    let all = timings(nested);
    // A single segment has no end of its own: its time is its caller's.
    assert_eq!(times(&all), [(1, Some(30), Some(30)), (1, None, None), (0, Some(65), Some(35))]);
    assert_eq!((all[1].begin, all[1].is_single, all[1].left), (Some(60), true, Left::Returned));
    assert_eq!((all[2].within, all[2].is_whole), (2, true));
    assert_eq!(all[2].call, Some(Call { thread: 7, place: 0, number: 1 }));
}

#[test]
fn exceptions_end_at_their_clocks() {
    let thrown = |depth, number| Event::Thrown { depth, number, untold: false };
    let all = timings(|[one, two, _]| {
        // Stopped behind the first call, with the number of the segment so far; and in a method of one segment.
        let first = [ns(10), enter(1, ROW), segment(1, one), ns(20), enter(2, ROW), segment(2, one)];
        let second = [ns(30), enter(3, GUARDED), ns(34), thrown(3, 0), ns(36), thrown(2, two - 1)];
        [&first[..], &second, &[ns(50), thrown(1, two - 1)]].concat()
    });
    assert_eq!(times(&all), [(2, Some(4), Some(4)), (1, Some(16), Some(12)), (0, Some(40), Some(24))]);
    assert!(all.iter().all(|one| one.left == Left::Thrown));
}

#[test]
fn a_clock_in_front_of_a_chunk_is_not_that_of_the_word_behind_it() {
    let all = timings(|[one, two, end]| {
        // The second clock of each pair is that of a chunk.
        let first = [ns(10), ns(11), enter(1, ROW), segment(1, one), ns(15), segment(1, two)];
        [&first[..], &[ns(20), Event::Pad, ns(21), segment(1, end)]].concat()
    });
    assert_eq!(times(&all), [(0, Some(10), Some(10))]);
}

#[test]
fn what_a_gap_hides_is_unknown() {
    let gap = Event::Gap { lost: 9, depth: 1, lowest: 1 };
    let all = timings(|[one, _, end]| {
        let before = [ns(10), enter(1, ROW), segment(1, one), ns(20), enter(2, ROW), ns(25), gap];
        [&before[..], &[ns(80), ns(90), segment(1, end)]].concat()
    });
    // The inner one ended in the gap. The outer one went on, and what it called in the gap is unknown.
    assert_eq!(times(&all), [(1, None, None), (0, Some(80), None)]);
    assert_eq!((all[0].left, all[0].at_least(), all[1].is_whole), (Left::Unknown, 0, false));
}

#[test]
fn without_clocks_durations_have_bounds_at_most() {
    let all = replayed(All::default(), |[one, two, end]| {
        let call = [enter(1, ROW), segment(1, one), segment(1, two), segment(1, end)];
        [&[ns(10), enter(1, SINGLE)][..], &call, &call, &[ns(70), enter(1, SINGLE)]].concat()
    });
    assert!(all.is_untimed());
    let told: Vec<_> = all.told.0.iter().map(|one| (one.total(), one.at_least(), one.at_most())).collect();
    assert_eq!(told[1..3], [(None, 0, Some(60)), (None, 0, Some(60))]);
    let numbers: Vec<_> = all.told.0.iter().map(|one| one.call.unwrap().number).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

#[test]
fn calls_of_some_have_their_numbers_and_their_clocks() {
    let call = |number| Event::Call { number, depth: 3 };
    let all = timings(|[one, two, end]| {
        let first =
            [ns(10), call(4), enter(3, ROW), segment(3, one), segment(3, two), ns(30), segment(3, end)];
        // The clock of a ring that is muted; then one that runs one segment, whose end has a word.
        [&first[..], &[ns(31), ns(40), call(9), enter(3, SINGLE), ns(47), segment(3, 0), ns(48)]].concat()
    });
    assert_eq!(times(&all), [(0, Some(20), Some(20)), (0, Some(7), Some(7))]);
    let calls: Vec<_> =
        all.iter().map(|one| one.call.unwrap()).map(|call| (call.place, call.number)).collect();
    assert_eq!(calls, [(0, 5), (1, 10)]);
}

#[test]
fn the_slowest_calls_are_kept_and_drawn() {
    let events = |[one, two, end]: [u32; 3]| {
        let call = |begin: u64, took: u64| {
            let inner = |at: u64, took: u64| {
                [ns(at), enter(2, ROW), segment(2, one), segment(2, two), ns(at + took), segment(2, end)]
            };
            let first = [ns(begin), enter(1, ROW), segment(1, one)];
            let narrow = [inner(begin + 1, 2), inner(begin + 3, 3)].concat();
            let last = [segment(1, two), ns(begin + took), segment(1, end)];
            [&first[..], &narrow, &inner(begin + 100, 500), &last].concat()
        };
        [call(1000, 700), call(2000, 900), call(3000, 800)].concat()
    };
    let slowest = replayed(Slowest::new(2, None), events).told;
    let took: Vec<_> = slowest.calls().map(|one| one.total().unwrap()).collect();
    assert_eq!((took, slowest.count, slowest.unknown, slowest.first), (vec![900, 800], 3, 0, Some(1000)));
    let timeline = Timeline::of(slowest.calls(), 100, 1000);
    let drawn = replayed(timeline, events).told.calls();
    assert_eq!(drawn.len(), 2);
    let of_first = &drawn[&slowest.calls().next().unwrap().call.unwrap()];
    let shown: Vec<_> = of_first.shown.iter().map(|one| (one.level, one.begin, one.took, one.own)).collect();
    assert_eq!(shown, [(0, 0, 900, Some(395)), (1, 100, 500, Some(500))]);
    let merged: Vec<_> = of_first.merged.iter().map(|one| (one.level, one.span, one.count)).collect();
    assert_eq!(merged, [(1, (1, 6), 2)]);
    assert_eq!((of_first.left_out, of_first.unknown), (0, 0));
    let bounded = replayed(Timeline::of(slowest.calls(), 100, 2), events).told.calls();
    assert!(bounded.values().all(|drawn| drawn.shown.len() == 1 && drawn.left_out == 3));
}
