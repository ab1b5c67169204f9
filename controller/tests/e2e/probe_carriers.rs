//! Virtual threads that change their carriers within measured calls: each call is its own thread's, and whole.

use crate::harness;
use spl_model::{Handle, Sizing};
use spl_overhead::{Door, Program};
use spl_wire::{WireSample, WireSize};
use std::collections::BTreeMap;

const OUTER: u32 = 1;
const INNER: u32 = 2;
const ROUNDS: usize = 5;

#[test]
fn calls_that_change_their_carrier_stay_their_threads() {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    // More carriers than this machine may have processors; older JVMs do not know the property.
    let carriers = "-Djdk.virtualThreadScheduler.parallelism=4";
    let arguments = [&*option, carriers, "-cp", &classes, "Carriers"];
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    // The length of a number is the number: that of the thread, as the program says.
    agent.define(OUTER, "Carriers.outer(J)J", Sizing::Length).unwrap();
    agent.define(INNER, "Carriers.inner(J)J", Sizing::Length).unwrap();
    agent.instrument(&[OUTER, INNER]).unwrap();
    [OUTER, INNER].iter().for_each(|handle| agent.arm(*handle, 1).unwrap());
    let (mut all, mut moved) = (0, 0);
    for _ in 0..ROUNDS {
        agent.samples.clear();
        program.tell("").unwrap();
        let said = agent.line_of(&mut program).unwrap();
        let said = said.split(' ').map(|number| number.parse::<usize>().unwrap()).collect::<Vec<_>>();
        agent.settle().unwrap();
        let calls = said[0];
        (all, moved) = (all + 2 * calls, moved + said[1]);
        assert_eq!((agent.dropped, agent.anomalies), (0, 0));
        let mut threads = BTreeMap::<u64, [Vec<&WireSample>; 2]>::new();
        for sample in &agent.samples {
            assert_eq!(sample.size, WireSize::Value(sample.thread), "another thread's");
            assert!(sample.start_ns < sample.end_ns, "{sample:?}");
            // Neither calls itself.
            assert!(sample.depth.is_none_or(|depth| depth == 0), "{sample:?}");
            threads.entry(sample.thread).or_default()[usize::from(sample.handle == Handle(INNER))]
                .push(sample);
        }
        assert_eq!(agent.samples.len(), 2 * calls);
        for [outer, inner] in threads.values_mut() {
            outer.sort_by_key(|call| call.start_ns);
            inner.sort_by_key(|call| call.start_ns);
            assert_eq!(outer.len(), inner.len());
            for (outer, inner) in outer.iter().zip(&*inner) {
                let within = outer.start_ns <= inner.start_ns && inner.end_ns <= outer.end_ns;
                assert!(within, "{inner:?} is not within {outer:?}");
            }
            let apart = |pair: &[&WireSample]| pair[0].end_ns <= pair[1].start_ns;
            assert!(outer.windows(2).all(apart), "calls of one thread overlap");
        }
    }
    println!("{moved} of {all} calls ended on another carrier");
    agent.detach().unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}
