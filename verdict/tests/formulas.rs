//! Truth of assertions about measured times, from the text of a task file.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use spl_lang::{Atom, Program, RunMode, parse_file};
use spl_model::{Bucket, Scale, Size};
use spl_verdict::{
    Asserted, Basis, Composed, Evidence, Judged, NotEvaluated, Standing, Times, Truth, decide, judge,
    judge_assertion, standing_alone,
};

const LEVEL: f64 = 0.05;

/// `name` is a method whose times lie around this many nanoseconds, spread by ±10%; methods of no time have
/// no samples.
const METHODS: [(&str, u64); 5] =
    [("one", 1000), ("same", 1004), ("twice", 2000), ("ten", 10_000), ("never", 0)];

/// Reads one statement over [`METHODS`]; they have the indices of that list, independent of their order in
/// the statement.
fn program(statement: &str) -> Program {
    let lets = METHODS.map(|(name, _)| format!("let {name} = a/B.{name}()V\n")).concat();
    let all = METHODS.map(|(name, _)| format!("assert \"{name}\": {name} <= 1 s\n")).concat();
    let text = format!("{lets}{all}{statement}\n");
    let file = parse_file(&text, RunMode::Comparison).unwrap();
    file.check(&text, &mut |_| Vec::new()).unwrap()
}

fn times(method: usize, n: usize) -> Vec<u64> {
    let (_, middle) = METHODS[method];
    let n = if middle == 0 { 0 } else { n };
    (0..n as u64).map(|i| middle * (900 + (i + method as u64) * 7919 % 201) / 1000).collect()
}

fn judged(atom: &Atom, n: usize) -> Result<Judged, NotEvaluated> {
    let times: Vec<Vec<u64>> = (0..METHODS.len()).map(|method| times(method, n)).collect();
    judge(atom, |method| times[method].as_slice())
}

/// The last statement, judged on 100 samples a method in each bucket.
fn composed(statement: &str, buckets: &[Bucket]) -> Composed {
    let program = program(statement);
    let formula = &program.assertions.last().unwrap().formula.value;
    decide(formula, buckets, &mut |atom, _| judged(atom, 100).map(|judged| judged.evidence))
}

#[test]
fn comparisons_inside_formulas() {
    use Truth::{False, True, Undecided};
    let check = |formula: &str, expected| {
        let got = composed(&format!("assert \"t\": {formula}"), &[Bucket::All]).evidence.truth(LEVEL);
        assert_eq!(got, expected, "{formula}");
    };
    check("one < twice", True);
    check("twice < one", False);
    check("one < same", Undecided);
    check("one <= same", Undecided);
    check("one <= twice", True);
    check("! one <= twice", False);
    check("2.5 * one > twice", True);
    check("one = same", Undecided);
    check("one = twice", False);
    check("one = same within 5%", True);
    check("one = twice within 5%", False);
    check("one = twice within 150%", True);
    check("one = same within 0.01%", Undecided);
    check("median(one) < median(twice)", True);
    check("p90(twice) < p10(one)", False);
    check("p90(one) < twice", True);
    check("median(one) = median(same) within 50%", True);
    check("median(one) = median(twice)", False);
    check("one < 2 us", True);
    check("2 us < one", False);
    check("median(ten) > 5 us", True);
    check("median(ten) = 10 us within 20%", True);
    check("ten = 1 us within 20%", False);
    check("p99(one) < 1 s", Undecided);
    check("p90(one) < 1 s", True);
}

/// Proof is one-sided; a wrong refutation can have both directions.
#[test]
fn refutation_is_two_sided() {
    let evidence = |formula: &str| composed(&format!("assert \"t\": {formula}"), &[Bucket::All]).evidence;
    for formula in ["one < same", "same < one", "one >= same"] {
        let Evidence { p_true, p_false } = evidence(formula);
        assert!((p_false - (2.0 * (1.0 - p_true)).min(1.0)).abs() < 1e-12, "{formula}: {p_true} {p_false}");
    }
    let (plain, tolerant) = (evidence("one = same"), evidence("one = same within 0.000001%"));
    assert!(plain.p_false < 1.0 && (plain.p_false - tolerant.p_false).abs() < 1e-4, "{plain:?} {tolerant:?}");
}

#[test]
fn connectives_between_comparisons() {
    use Truth::{False, True, Undecided};
    let check = |formula: &str, expected| {
        let got = composed(&format!("assert \"t\": {formula}"), &[Bucket::All]).evidence.truth(LEVEL);
        assert_eq!(got, expected, "{formula}");
    };
    check("one < twice & twice < ten", True);
    check("one < twice & one < same", Undecided);
    check("one < same & ten < twice", False);
    check("ten < one | one < twice", True);
    check("ten < one | one < same", Undecided);
    check("ten < one | twice < one", False);
    check("ten < one => never < one", True);
    check("one < twice => twice < ten", True);
    check("one < twice => ten < twice", False);
    check("never < one => one < twice", True);
    check("never < one", Undecided);
}

#[test]
fn what_was_not_measured_is_said() {
    let Composed { evidence, gaps } =
        composed("assert \"t\": never < one & one < twice | 1 ns < never", &[Bucket::All]);
    assert_eq!(evidence.truth(LEVEL), Truth::Undecided);
    let gap = |left, right| NotEvaluated::TooFewSamples { left, right };
    assert_eq!(gaps, [gap(0, 100), gap(0, 0)]);
}

fn buckets(lows: &[u64]) -> Vec<Bucket> {
    let scale = Scale::linear(100).unwrap();
    lows.iter().map(|&low| scale.bucket(&Size::Value(low))).collect()
}

#[test]
fn quantifiers_speak_of_buckets() {
    use Truth::{False, True, Undecided};
    // Sizes from 300 on: the times are those of the other method, so the comparison turns round.
    let check = |formula: &str, lows: &[u64], expected| {
        let program = program(&format!("assert \"t\": {formula} one < twice"));
        let mut judge = |atom: &Atom, bucket: &Bucket| {
            let evidence = judged(atom, 100)?.evidence;
            Ok(if *bucket >= buckets(&[300])[0] { !evidence } else { evidence })
        };
        let formula_read = &program.assertions.last().unwrap().formula.value;
        let got = decide(formula_read, &buckets(lows), &mut judge);
        assert_eq!(got.evidence.truth(LEVEL), expected, "{formula} {lows:?}");
        assert_eq!(got.gaps.is_empty(), expected != Undecided, "{formula} {lows:?}");
    };
    check("for all sizes:", &[0, 100], True);
    check("for all sizes:", &[0, 300], False);
    check("for all sizes:", &[], Undecided);
    check("for some size:", &[0, 300], True);
    check("for some size:", &[300, 400], False);
    check("for some size:", &[], Undecided);
    check("for size in [0, 300):", &[0, 200, 300], True);
    check("for size in [0, inf):", &[0, 200, 300], False);
    check("for size in [250, 400):", &[200, 300], False);
    check("for size in [300, 400):", &[200, 300], False);
    check("for size in [0, 150):", &[100, 200], Undecided);
    // Without a quantifier all sizes are meant: for the whole formula, or for the comparisons without one.
    check("", &[0, 100], True);
    check("", &[0, 300], False);
    check("", &[], Undecided);
    check("! (twice < one) & ", &[0, 300], False);
    check("twice < one | for some size:", &[0, 300], True);
    check("twice < one => for all sizes:", &[0, 300], True);
    check("one < twice & for some size:", &[0, 300], False);
}

/// The level bounds the error of the whole: four chances to refute need a quarter of it each.
#[test]
fn errors_of_parts_add_up() {
    let program = program("assert \"t\": one < twice & one < twice & one < twice & one < twice");
    let formula = &program.assertions.last().unwrap().formula.value;
    let check = |p_false, expected| {
        let evidence = Evidence { p_true: 1.0, p_false };
        assert_eq!(
            decide(formula, &[Bucket::All], &mut |_, _| Ok(evidence)).evidence.truth(LEVEL),
            expected,
            "{p_false}"
        );
    };
    check(0.012, Truth::False);
    check(0.013, Truth::Undecided);
}

#[test]
fn comparisons_that_stand_alone_have_a_basis() {
    use Basis::{NotProved, NotRefuted, Proved, Refuted};
    let check = |comparison: &str, expected| {
        let program = program(comparison);
        let spl_lang::ast::Formula::Relation(atom) = program.assertions.last().unwrap().formula.value else {
            panic!("{comparison} is more than a comparison");
        };
        let evidence = judged(&atom, 100).unwrap().evidence;
        assert_eq!(standing_alone(&atom, &evidence, LEVEL).0, expected, "{comparison}");
    };
    check("median(one) < median(twice)", Proved);
    check("median(one) < median(same)", NotProved);
    check("median(twice) < median(one)", NotProved);
    check("median(one) <= median(twice)", Proved);
    check("median(one) <= median(same)", NotRefuted);
    check("median(twice) <= median(one)", Refuted);
    check("median(one) = median(same)", NotRefuted);
    check("median(one) = median(twice)", Refuted);
    check("one = same within 5%", Proved);
    check("one = same within 0.01%", NotProved);
    check("one = twice within 5%", Refuted);
    check("twice >= 1 us", Proved);
    check("twice <= 1 us", Refuted);
}

#[test]
fn figures_are_those_of_the_comparison() {
    let program = program("2 * median(one) <= 3 us");
    let spl_lang::ast::Formula::Relation(atom) = program.assertions.last().unwrap().formula.value else {
        panic!("more than a comparison");
    };
    let Judged { left_ns, right_ns, n_left, n_right, .. } = judged(&atom, 101).unwrap();
    assert!((left_ns - 2000.0).abs() < 50.0, "{left_ns}");
    assert_eq!((right_ns, n_left, n_right), (3000.0, 101, None));
}

/// Times by method, for a method of 100 samples in the sizes from 0 and in those from 100, where the method
/// "one" takes as long as "ten"; "never" cannot be measured.
struct InTwoBuckets(Vec<[Vec<u64>; 2]>);

impl InTwoBuckets {
    fn new() -> Self {
        let of = |method| [times(method, 100), times(if method == 0 { 3 } else { method }, 100)];
        Self((0..METHODS.len()).map(of).collect())
    }
}

impl Times for InTwoBuckets {
    fn of(&self, method: usize, bucket: &Bucket) -> Result<&[u64], NotEvaluated> {
        match METHODS[method].1 {
            0 => Err(NotEvaluated::NotMeasured("it is native".to_owned())),
            _ => Ok(&self.0[method][usize::from(*bucket != buckets(&[0])[0])]),
        }
    }
}

fn asserted(statement: &str) -> Asserted {
    let program = program(statement);
    let (index, assertion) = program.assertions.iter().enumerate().next_back().unwrap();
    judge_assertion(index, assertion, &buckets(&[0, 100]), &InTwoBuckets::new(), LEVEL)
}

#[test]
fn an_assertion_is_about_all_sizes_and_a_line_about_the_first() {
    let check = |statement: &str, truth, basis, standing, parts: usize| {
        let got = asserted(statement);
        assert_eq!((got.truth, got.basis, got.standing()), (truth, basis, standing), "{statement}");
        assert_eq!(got.parts.len(), parts, "{statement}");
    };
    check("assert \"t\": one < twice", Truth::False, None, Standing::Fails, 2);
    check("assert \"t\": for some size: one < twice", Truth::True, None, Standing::Holds, 2);
    check("assert \"t\": one <= same", Truth::False, None, Standing::Fails, 2);
    check("median(one) < twice", Truth::True, Some(Basis::Proved), Standing::Holds, 1);
    check("median(one) <= same", Truth::Undecided, Some(Basis::NotRefuted), Standing::Holds, 1);
    check("assert \"t\": never < one | twice < ten", Truth::True, None, Standing::Holds, 4);
    check("median(one) < never", Truth::Undecided, None, Standing::Undecided, 1);
}

#[test]
fn a_level_of_its_own_and_what_was_not_measured() {
    let strict = asserted("assert \"t\": one < twice at 0.001%");
    assert!((strict.level - 0.00001).abs() < 1e-15);
    let gaps = asserted("assert \"t\": never < one").gaps;
    assert_eq!(gaps, vec![NotEvaluated::NotMeasured("it is native".to_owned()); 2]);
    let relations: Vec<_> = asserted("assert \"t\": one < ten & twice < ten").parts;
    assert_eq!(relations.iter().map(|part| part.relation).collect::<Vec<_>>(), [0, 1, 0, 1]);
}
