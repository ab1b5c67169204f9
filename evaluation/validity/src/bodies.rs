//! The Java source of pairs of methods whose times have a known ratio.

use serde::Serialize;
use std::fmt::Write;

/// Work of a method, step by step, each of which needs the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// Multiplies and adds.
    Arithmetic,
    /// Divides.
    Division,
    /// Looks up the next place in a table.
    Chase,
}

/// A pair: `b` takes `ratio` times as long as `a`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The work of both.
    pub work: Work,
    /// About how long `a` takes, nanoseconds.
    pub about_ns: u32,
    /// Steps of `b`, in percent of those of `a`.
    pub percent: u32,
    /// Whether `b` calls `a`, and does the rest itself.
    pub nested: bool,
}

/// All kinds of work.
pub const WORKS: [Work; 3] = [Work::Arithmetic, Work::Division, Work::Chase];
/// All ratios, in percent.
pub const PERCENT: [u32; 5] = [100, 105, 125, 200, 300];
/// Times of the shorter methods of a run, nanoseconds, and whether the longer ones call them.
const LENGTHS: [(u32, bool); 6] =
    [(200, false), (1_000, false), (5_000, false), (50_000, false), (1_000, true), (5_000, true)];

/// The pairs of a run: over 15 runs each length meets each ratio with each kind of work.
#[must_use]
pub fn pairs_of(run: usize) -> Vec<Pair> {
    let pair = |(index, &(about_ns, nested)): (usize, &(u32, bool))| Pair {
        work: WORKS[(run + index) % WORKS.len()],
        about_ns,
        percent: PERCENT[(run + 2 * index) % PERCENT.len()],
        nested,
    };
    LENGTHS.iter().enumerate().map(pair).collect()
}

impl Work {
    /// Steps in a microsecond, roughly.
    fn steps_a_us(self) -> u32 {
        match self {
            Self::Arithmetic => 720,
            Self::Division => 270,
            Self::Chase => 860,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Division => "division",
            Self::Chase => "chase",
        }
    }
}

impl Pair {
    /// True ratio of the steps.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }

    /// Steps of both.
    fn steps(&self) -> [u32; 2] {
        // A multiple of 20, so that 105% is a whole number of steps.
        let short = (self.about_ns * self.work.steps_a_us() / 1000).max(20).next_multiple_of(20);
        [short, short / 20 * (self.percent / 5)]
    }

    /// For tables.
    #[must_use]
    pub fn name(&self) -> String {
        let nested = if self.nested { ", nested" } else { "" };
        format!("{} {} ns x {:.2}{nested}", self.work.name(), self.about_ns, self.ratio())
    }
}

/// A method of the class, as in a task file.
#[must_use]
pub fn method(side: usize, pair: usize) -> String {
    format!("Bodies.{}{pair}(J)J", ["a", "b"][side])
}

/// The class `Bodies`.
#[must_use]
pub fn source(pairs: &[Pair]) -> String {
    let mut text = String::from(HEAD);
    let names: Vec<String> =
        (0..pairs.len()).flat_map(|pair| [0, 1].map(|side| method(side, pair))).collect();
    let all = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut say = |line: String| {
        let said = writeln!(text, "{line}");
        debug_assert!(said.is_ok(), "a text takes everything that is written into it");
    };
    say(format!("    static final String[] NAMES = {{{all}}};\n"));
    say("    static long call(int method, long value) {\n        switch (method) {".to_owned());
    for (number, name) in names.iter().enumerate() {
        let name = name.trim_start_matches("Bodies.").trim_end_matches("(J)J");
        say(format!("            case {number}: return {name}(value);"));
    }
    say("            default: throw new IllegalArgumentException();\n        }\n    }\n".to_owned());
    for (number, pair) in pairs.iter().enumerate() {
        let (work, [short, long]) = (pair.work.name(), pair.steps());
        say(format!("    static long a{number}(long value) {{ return {work}(value, {short}); }}\n"));
        say(match pair.nested {
            false => format!("    static long b{number}(long value) {{ return {work}(value, {long}); }}\n"),
            true if long == short => {
                format!("    static long b{number}(long value) {{ return a{number}(value); }}\n")
            }
            true => {
                format!(
                    "    static long b{number}(long value) {{ return {work}(a{number}(value), {}); }}\n",
                    long - short
                )
            }
        });
    }
    text + "}\n"
}

const HEAD: &str = "/** Written for one run. */
final class Bodies {

    private static final int[] NEXT = new int[4096];

    static {
        // One ring through all places, in an order that no prefetcher guesses.
        for (int i = 0, at = 0; i < NEXT.length; i++) {
            int next = (at * 1029 + 1) & (NEXT.length - 1);
            NEXT[at] = next;
            at = next;
        }
    }

    private Bodies() {}

    private static long arithmetic(long start, int steps) {
        long value = start;
        for (int i = 0; i < steps; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
            value ^= value >>> 33;
        }
        return value;
    }

    private static long division(long start, int steps) {
        long value = start;
        for (int i = 0; i < steps; i++) {
            value = (0x7fff_ffff_ffffL - (value & 0xffff)) / ((value & 0xffff) + 0x10001);
        }
        return value;
    }

    private static long chase(long start, int steps) {
        int at = (int) start & (NEXT.length - 1);
        for (int i = 0; i < steps; i++) {
            at = NEXT[at];
        }
        return at;
    }

";
