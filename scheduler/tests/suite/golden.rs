//! Traces worked out by hand for the configurations that the thesis describes (4.1.2, Listing 18).
//!
//! Each line has the owner's time, the event, the decisions, then the optimal number and the difference after
//! it.

use crate::bench::{apart, check_trace};
use spl_lang::{RunMode, Tasks, parse_tasks};
use spl_scheduler::Settings;

fn sorting() -> Settings {
    Settings { mode: RunMode::Measurement, ..Settings::thesis() }
}

/// The task list of `examples/sorting`: 22 methods, as `A` to `V`, of the classes Integer (A B C M), Objects
/// (D), ArrayList (E F G K L), Random (H N O), Collections (I), Number (J) and ComparableTimSort (P to V).
fn twenty_two() -> Tasks {
    parse_tasks(include_str!("../../../tasks/sorting.tasks"), RunMode::Measurement).unwrap()
}

/// 4.1.2, "Measure all at once". The order at the start follows the class priorities, each start lowering one
/// by two: Sort 7 P, then of List 5 and Sort 5 the first in the file, List, E, then Q; Integer 4 A; at 3 List
/// F, Random H, Sort R; Integer 2 B; at 1 Objects D, List G, Random N, Collections I, Number J, Sort S;
/// Integer 0 C; at -1 List K, Random O, Sort T; Integer -2 M; at -3 List L, Sort U; Sort -5 V. A difference
/// of 1 ns is not under the limit of 1 ns, so nothing is suspended.
#[test]
fn all_at_once() {
    let settings = Settings { initial_optimal: 100, min_diff_ns: 1, ..sorting() };
    let each = |write: &dyn Fn(usize, char) -> String| {
        ('A'..='V').enumerate().map(|(index, letter)| write(index, letter)).collect::<Vec<_>>().join(" ")
    };
    let most = each(&|index, letter| format!("{letter}@{index}+22x999"));
    let last = each(&|index, letter| format!("{letter}@{}", 22 * 999 + index));
    let finished = format!("{} done", each(&|_, letter| format!("!{letter}")));
    check_trace(
        settings,
        &twenty_two(),
        &[
            (0, "start", "+P +E +Q +A +F +H +R +B +D +G +N +I +J +S +C +K +O +T +M +L +U +V", 22, None),
            (100_000_000, "tick", "", 22, None),
            (100_000_001, "tick", "", 22, None),
            (200_000_000, &most, "", 22, Some(1)),
            (300_000_000, &last, &finished, 0, Some(1)),
        ],
    );
}

/// 4.1.2, "Measure one by one": the next method starts when the one before is finished, and only ten seconds
/// of silence add one.
#[test]
fn one_by_one() {
    let settings = Settings { initial_optimal: 1, max_diff_ns: 10_000_000_000, ..sorting() };
    check_trace(
        settings,
        &apart(4, &[]),
        &[
            (0, "start", "+A", 1, None),
            (50, "A@0+100x999", "", 1, Some(100)),
            (60, "A@99900", "!A +B", 1, Some(100)),
            (10_000_000_060, "tick", "", 1, Some(100)),
            (10_000_000_061, "B@100000+100x1000", "!B +C", 1, Some(100)),
            (20_000_000_061, "tick", "", 1, Some(100)),
            (20_000_000_062, "tick", "+D", 2, Some(100)),
            // 100 is under 1 ms: back to one. Neither has two ends yet: C, which is measured for longer,
            // goes.
            (20_000_000_063, "D@200000+100x2", "-C", 1, Some(100)),
            (20_000_000_064, "D@200200+100x998", "!D +C", 1, Some(100)),
            (20_000_000_065, "C@300000+100x1000", "!C done", 0, Some(100)),
        ],
    );
}

/// 4.1.2, "Measure with controlling": min 1000, max 100000000, weight 5, first 1 method.
#[test]
fn with_controlling() {
    let settings = Settings { initial_optimal: 1, min_diff_ns: 1000, weight: 5, ..sorting() };
    check_trace(
        settings,
        &apart(4, &[]),
        &[
            (0, "start", "+A", 1, None),
            (1000, "A@1000", "", 1, None),
            // Exactly the limit since the last receipt is not longer than the limit.
            (100_001_000, "tick", "", 1, None),
            (100_001_001, "tick", "+B", 2, None),
            // Each cycle without data compares again.
            (100_001_002, "tick", "+C", 3, None),
            (100_002_000, "A@6000", "", 3, Some(5000)),
            (100_003_000, "B@6600", "", 3, Some(4266)),
            (100_004_000, "B@6900", "", 3, Some(3605)),
            // Gaps of 100: 3020, 2533, 2127, 1789, 1507, 1272, 1076, 913. Last gaps: A 5000, B 300, C 100.
            (100_005_000, "C@7000+100x8", "-C", 2, Some(913)),
            // (913·5+600)/6 = 860. Last gaps: A 5000, B 1400.
            (100_006_000, "B@8300", "-B", 1, Some(860)),
            // A sample on its way counts; the difference falls, the optimal number is at its lowest.
            (100_007_000, "C@8300", "", 1, Some(716)),
            (300_000_000, "A@200008300", "", 1, Some(33_333_930)),
            (500_000_000, "A@400008300", "", 1, Some(61_111_608)),
            (700_000_000, "A@600008300", "", 1, Some(84_259_673)),
            // Over the limit. B, C (suspended) and D (new) wait alike, so the file's order decides.
            (900_000_000, "A@800008300", "+B", 2, Some(103_549_727)),
            (999_000_000, "A@1000008300", "+C", 3, Some(119_624_772)),
            (1_000_000_000, "finish", "!A !B !C !D done", 0, Some(119_624_772)),
        ],
    );
}

/// Listing 18 with the tasks of Listing 19 under today's names: A `SyndFeedInput.build`, B
/// `SAXBuilder.build`, and of one class, Verifier, C `checkJDOMName`, D `checkElementName`, E
/// `checkAttributeName`.
#[test]
fn feeds() {
    let settings = Settings {
        initial_optimal: 1,
        min_diff_ns: 100_000,
        weight: 4,
        max_samples: 500,
        min_samples: 200,
        ..Settings::thesis()
    };
    let tasks = parse_tasks(include_str!("../../../tasks/rome.tasks"), RunMode::Comparison).unwrap();
    check_trace(
        settings,
        &tasks,
        &[
            // Verifier has three methods waiting; C is in two comparisons.
            (0, "start", "+C", 1, None),
            (100_000_000, "tick", "", 1, None),
            // Verifier is at 2 - 1 now, like the classes of A and B: the file's order decides.
            (100_000_001, "tick", "+A", 2, None),
            (150_000_000, "C@0+1000x3", "-C", 1, Some(1000)),
            // Samples on their way fill C's bucket; its partners have none.
            (151_000_000, "C@3000+1000x197", "", 1, Some(1000)),
            // The gap is 149801000.
            (300_000_000, "A@150000000", "", 1, Some(29_961_000)),
            (450_000_000, "A@300000000", "", 1, Some(53_968_800)),
            (600_000_000, "A@450000000", "", 1, Some(73_175_040)),
            (750_000_000, "A@600000000", "", 1, Some(88_540_032)),
            // C waits again, so Verifier is at 3 - 0.
            (900_000_000, "A@750000000", "+C", 2, Some(100_832_025)),
            // Verifier is at 2 - 1, like the class of B, which comes first in the file.
            (1_050_000_000, "A@900000000", "+B", 3, Some(110_665_620)),
            (1_200_000_000, "A@1050000000", "+D", 4, Some(118_532_496)),
            (1_350_000_000, "A@1200000000", "+E", 5, Some(124_825_996)),
            (1_500_000_000, "A@1350000000", "", 5, Some(129_860_796)),
            // After 33 samples the difference is under 100 µs. C and E have a last gap of 1000, C is measured
            // for longer; then E; then A, the only one with two ends; then B before D, which is measured for
            // longer. E goes on delivering: 200 fill its bucket, C's is full.
            (1_501_000_000, "E@1350001000+1000x200", "-C -E -A -B =2-200/200 !E", 1, Some(1000)),
            (1_502_000_000, "D@1351000000+1000x199", "", 1, Some(1000)),
            // Its last comparison finishes C while it is suspended.
            (1_503_000_000, "D@1351199000", "=1-200/200 !C !D +A", 1, Some(1000)),
            // The fifth of these takes the difference over 100 ms; A ends at its 500th sample.
            (9_000_000_000, "A@1500000000+150000000x491", "+B !A", 1, Some(149_999_996)),
            (9_100_000_000, "B@75000001000+1000x199", "", 1, Some(1000)),
            // All of A's samples in the bucket are compared.
            (9_200_000_000, "B@75000200000", "=0-500/200 !B done", 0, Some(1000)),
        ],
    );
}
