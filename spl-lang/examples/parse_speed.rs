//! Time of the parser for a file of 100,000 comparisons and assertions: medians of several runs. Processor
//! time is disturbed least by other work on the machine; only Linux reports it.
//!
//! `cargo run --release -p spl-lang --example parse_speed`

use spl_lang::{RunMode, parse_file};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LINES: usize = 100_000;
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = text();
    let mut passed = Vec::new();
    let mut spent = Vec::new();
    for _ in 0..RUNS {
        let (clock, processor) = (Instant::now(), processor_time()?);
        let file = parse_file(black_box(&text), RunMode::Comparison);
        passed.push(clock.elapsed());
        spent.push(processor_time()? - processor);
        let statements = black_box(file).map(|file| file.statements.len());
        assert_eq!(statements.map_err(|errors| errors[0].to_string()), Ok(LINES + 2));
    }
    let [passed, spent] = [passed, spent].map(median);
    println!(
        "{LINES} assertions, {} bytes: processor {} ms, clock {} ms (medians of {RUNS} runs), {} ns each",
        text.len(),
        spent.as_millis(),
        passed.as_millis(),
        spent.as_nanos() / LINES as u128,
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Processor time of this thread: the first number of the file, in nanoseconds.
fn processor_time() -> Result<Duration, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = text.split(' ').next().ok_or("an empty schedstat")?;
    Ok(Duration::from_nanos(first.parse()?))
}

/// Lines of all forms, each different.
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
