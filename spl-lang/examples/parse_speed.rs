//! How long the parser takes for a file of 100,000 comparisons and assertions: the median of several runs.
//!
//! `cargo run --release -p spl-lang --example parse_speed`

use spl_lang::{RunMode, parse_file};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LINES: usize = 100_000;
const RUNS: usize = 7;

fn main() {
    let text = text();
    let mut times: Vec<Duration> = (0..RUNS).map(|_| parse(&text)).collect();
    times.sort();
    let median = times[RUNS / 2];
    let each = median.as_nanos() / LINES as u128;
    println!(
        "{LINES} assertions, {} bytes: median of {RUNS} runs {} ms, fastest {} ms, {each} ns each",
        text.len(),
        median.as_millis(),
        times[0].as_millis()
    );
}

/// Lines of all forms, no two alike.
fn text() -> String {
    let mut text = String::from("let f = p/Codec.encode([B)[B\nlet g = p.Codec#decode(byte[])\n");
    for number in 0..LINES {
        // Writing to a String does not fail.
        _ = match number % 4 {
            0 => writeln!(
                text,
                "p/C{number}.f(Ljava/lang/String;)V <= (1, 2) p/C{number}.g(Ljava/lang/String;)V"
            ),
            1 => writeln!(text, "p.C{number}#f(String, int[]) < 1.5 * p.C{number}#new(List<String>)  # why"),
            2 => writeln!(
                text,
                "assert \"quick {number}\": p99(f) <= {number} ns & (! f < g | g = f within 5%) at 1%"
            ),
            _ => writeln!(
                text,
                "assert \"large {number}\": for size in [1 KiB, {number} KiB): f < g => median(g) <= 1 ms"
            ),
        };
    }
    text.replace("[1 KiB, 3 KiB)", "[1 KiB, inf)")
}

fn parse(text: &str) -> Duration {
    let start = Instant::now();
    let file = parse_file(black_box(text), RunMode::Comparison);
    let time = start.elapsed();
    let statements = black_box(file).map(|file| file.statements.len());
    assert_eq!(statements.map_err(|errors| errors[0].to_string()), Ok(LINES + 2));
    time
}
