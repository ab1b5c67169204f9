//! Why methods lack samples: the true reason of each, as a value and in the results.

use crate::bench::{apart, calm, evaluations, event, method, samples};
use spl_lang::{RunMode, parse_file};
use spl_model::{EndedBy, Lack, Outcome, Sample, SampleFlags, Spent, SpentOn, Taken};
use spl_scheduler::{Action, Budget, Event, MethodIx, Paired, Scheduler, Settings, WarmUp};
use spl_verdict::NotEvaluated;

const A: MethodIx = MethodIx(0);
const B: MethodIx = MethodIx(1);

fn comparing(settings: Settings, methods: usize) -> Scheduler {
    Scheduler::new(settings, &apart(methods, &[(0, 1)])).unwrap()
}

/// The reason of the only comparison at its end.
fn reason(scheduler: &mut Scheduler) -> String {
    let [one] = &evaluations(scheduler, "finish")[..] else { panic!("one comparison, one result") };
    one.verdict.clone().unwrap_err().to_string()
}

#[test]
fn a_method_that_is_never_called_is_said_to_be() {
    let mut scheduler = comparing(calm(), 2);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@1+1x2"), 2_000_000_000);
    scheduler.handle(Event::Dropped { method: None, count: 5 }, 3_000_000_000);
    assert_eq!(scheduler.lack(A), None);
    let never = Lack::NeverCalled { open_ns: 3_000_000_000, lost: 5 };
    assert_eq!(scheduler.lack(B), Some(never));
    assert_eq!(
        reason(&mut scheduler),
        "nothing to judge: p/B.m()V: never called: no call began and ended in the 3.0 s in which it was measured; 5 calls of \
         this or other methods were lost on the way"
    );
}

#[test]
fn discarded_calls_are_counted_by_what_discarded_them() {
    let warm_up = Some(WarmUp { samples: 2, time_ns: 0 });
    let mut scheduler = comparing(Settings { warm_up, discard_disturbed: true, ..calm() }, 2);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@1+1x8 B@1+1x3"), 1);
    let disturbed = Sample::new(50, 60).map(|mut sample| {
        sample.flags = SampleFlags::GC;
        (B, sample)
    });
    scheduler.handle(Event::Samples(vec![disturbed.unwrap()]), 2);
    let taken = Taken { counted: 1, warm_up: 2, disturbed: 1, ..Taken::default() };
    assert_eq!(scheduler.lack(B), Some(Lack::Discarded(taken)));
    assert_eq!(
        reason(&mut scheduler),
        "nothing to judge: p/B.m()V: 4 calls were measured: 2 discarded as warm-up, 1 discarded as disturbed; 1 counts"
    );
}

#[test]
fn calls_without_a_partner_are_no_reason_beside_a_partner_that_is_never_called() {
    let paired = Paired { min_turn_ns: 10, overlap_bound_ns: 0, owner_decides: false, longest_wait_ns: 0 };
    let settings = || Settings { paired: Some(paired), ..calm() };
    let end = |calls: &[(u64, &str)]| {
        let mut scheduler = comparing(settings(), 2);
        scheduler.handle(Event::Start, 0);
        for now in 1..100 {
            scheduler.handle(Event::Pulse, now);
            for (_, text) in calls.iter().filter(|(at, _)| *at == now) {
                scheduler.handle(Event::Samples(samples(text)), now);
            }
        }
        reason(&mut scheduler)
    };
    // A's gate opens at 0, B's at 10, B's again at 20, A's at 30; a call takes 10 ns by the JVM's clock.
    let both = end(&[(9, "A@13 A@14"), (25, "A@50")]);
    assert!(both.starts_with("nothing to judge: p/B.m()V: never called"), "{both}");
    assert!(!both.contains("p/A.m()V"), "{both}");
}

#[test]
fn calls_of_a_window_that_is_cut_off_are_counted() {
    let paired =
        Paired { min_turn_ns: 10, overlap_bound_ns: 0, owner_decides: true, longest_wait_ns: 9_000_000_000 };
    let mut scheduler = comparing(Settings { paired: Some(paired), ..calm() }, 2);
    scheduler.handle(Event::Start, 0);
    // These calls lie in A's first turn; B's turn comes, and the run ends before A is reported as drained.
    scheduler.handle(Event::Samples(samples("A@11 A@12 A@13")), 5);
    scheduler.handle(Event::Pulse, 20);
    let text = reason(&mut scheduler);
    assert!(text.starts_with("nothing to judge: "), "{text}");
    let cut = Lack::Discarded(Taken { surplus: 3, ..Taken::default() });
    assert_eq!(scheduler.lack(A), Some(cut), "{text}");
}

#[test]
fn a_run_that_ends_before_the_measurement_says_so() {
    let mut scheduler = comparing(calm(), 2);
    let (lasted_ns, wait_ns) = (300_000_000, 3_000_000_000);
    scheduler.handle(Event::NotBegun { ended_by: EndedBy::Operator, lasted_ns, wait_ns }, 1);
    let text =
        "the run was interrupted after 0.3 s, before the measurement began (initial-sleep: at most 3000 ms)";
    assert_eq!(reason(&mut scheduler), format!("nothing to judge: {text}"));
    // Also where calls came while the program warmed up.
    let mut prepared = comparing(calm(), 2);
    prepared.handle(Event::Prepare, 0);
    prepared.handle(Event::Samples(samples("A@1+1x2")), 0);
    prepared.handle(Event::NotBegun { ended_by: EndedBy::Operator, lasted_ns, wait_ns }, 1);
    assert_eq!(reason(&mut prepared), format!("nothing to judge: {text}"));
    let mut recorded = comparing(calm(), 2);
    recorded.handle(Event::Resume { decided: Vec::new(), samples: samples("A@1+1x2") }, 0);
    assert_eq!(reason(&mut recorded), "nothing to judge: p/B.m()V: no call of it was recorded");
}

#[test]
fn a_reason_of_two_methods_is_given_once() {
    let mut scheduler = comparing(calm(), 2);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(Event::Tick, 5_000_000);
    assert_eq!(
        reason(&mut scheduler),
        "nothing to judge: p/A.m()V and p/B.m()V: never called: no call began and ended in the 5 ms in which it was measured"
    );
}

#[test]
fn a_method_whose_turn_never_came_was_not_called_in_vain() {
    let settings = Settings { initial_optimal: 1, ..calm() };
    let mut scheduler = comparing(settings, 3);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@1"), 1_000);
    assert_eq!(scheduler.lack(B), Some(Lack::NoTurn));
}

#[test]
fn a_class_that_never_came_is_not_measured() {
    let mut scheduler = comparing(calm(), 2);
    scheduler.handle(Event::Start, 0);
    let gone = Event::Unavailable { method: B, why: Outcome::NotLoaded };
    let decisions = scheduler.handle(gone, 1);
    let verdict = decisions.into_iter().find_map(|one| match one.action {
        Action::Evaluated(evaluation) => Some(evaluation.verdict),
        _ => None,
    });
    let expected = NotEvaluated::NotMeasured("p/B.m()V: its class was never loaded".to_owned());
    assert_eq!(verdict, Some(Err(expected)));
    assert_eq!(scheduler.lack(B), Some(Lack::NotLoaded));
}

#[test]
fn two_methods_of_a_class_that_never_came_have_the_same_reason() {
    let mut scheduler = comparing(calm(), 2);
    scheduler.handle(Event::Start, 0);
    // The claim ends with the first of the two.
    for method in [A, B] {
        scheduler.handle(Event::Unavailable { method, why: Outcome::NotLoaded }, 1);
    }
    assert_eq!([A, B].map(|method| scheduler.lack(method)), [Some(Lack::NotLoaded), Some(Lack::NotLoaded)]);
}

#[test]
fn a_spent_budget_names_what_it_was_spent_on() {
    // 40 µs of CPU time a second pay for one sample in a millisecond; a size of 1000 costs as much as 25
    // samples.
    let budget = Budget {
        ceiling_ns_per_s: 40_000,
        sample_cost_ps: 40_000,
        agent_cost_ps: 0,
        agent_spare_ns_per_s: 0,
        skip_cost_ps: 0,
        closed_cost_ps: 0,
        size_cost_ps: 1_000,
        window_ns: 1_000_000,
        max_every: 1,
    };
    let settings = Settings { budget: Some(budget), initial_optimal: 1, ..calm() };
    let mut scheduler = comparing(settings, 2);
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("A@1:1000000"), 1_000_000);
    // B's turn comes when all is spent.
    scheduler.handle(event("limit A"), 2_000_000);
    let spent = Spent { on: SpentOn::Sizes("p/A.m()V".to_owned()), ns: 1_000_000, of_ns: 1_000_040 };
    assert_eq!(scheduler.lack(B), Some(Lack::NoBudget { spent: Some(spent) }));
    let text = reason(&mut scheduler);
    assert!(text.contains("overhead budget: 100% went to finding workload sizes of p/A.m()V"), "{text}");
}

#[test]
fn assertions_name_the_method_that_lacks_samples() {
    let text = "let x = p/A.m()V\nlet y = p/B.m()V\nmedian(x) <= 1 s\nassert \"both\": x < 1 s | y < x\n";
    let program = parse_file(text, RunMode::Comparison).unwrap().check(text, &mut |_| Vec::new()).unwrap();
    let mut scheduler = Scheduler::of_program(calm(), &program).unwrap();
    scheduler.handle(Event::Start, 0);
    scheduler.handle(event("B@1:5 B@2:500"), 1_000_000);
    let decisions = scheduler.handle(Event::Finish, 2_000_000);
    let gaps = decisions.into_iter().filter_map(|one| match one.action {
        Action::Asserted(asserted) => Some(asserted.gaps),
        _ => None,
    });
    let of_a =
        "p/A.m()V: never called: no call began and ended in the 2 ms in which it was measured".to_owned();
    let of_b = "p/B.m()V: 2 calls count, in 2 buckets of sizes, and no two in the same one";
    assert_eq!(
        gaps.collect::<Vec<_>>(),
        [vec![NotEvaluated::Lacking(of_a.clone())], vec![NotEvaluated::Lacking(format!("{of_a}; {of_b}"))]]
    );
    assert_eq!(method("B"), B);
}
