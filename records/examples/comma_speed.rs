//! Speed of reading and writing measurements in comma form: `cargo run --release -p spl-records --example
//! comma_speed`.
//!
//! Rates are per second of processor time, which other programs on the machine disturb less than elapsed
//! time.

use spl_model::{Sample, Size};
use spl_records::{Form, Measurement, Reader};
use std::error::Error;
use std::sync::Arc;

const RECORDS: u64 = 2_000_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let method = Arc::new("java/lang/Integer.compareTo(Ljava/lang/Integer;)I".parse()?);
    let origin: Arc<str> = "4711".into();
    let mut file = String::new();
    let begin = processor_ns()?;
    for k in 0..RECORDS {
        let start_ns = 123_456_789_012_345 + 1_000 * k;
        let mut sample = Sample::new(start_ns, start_ns + 40 + k % 97)?;
        sample.depth = Some(0);
        sample.thread = 1 + k % 8;
        sample.size = Size::Value(k % 5_000);
        sample.window = Some(k / 100);
        let record = Measurement { method: Arc::clone(&method), sample, origin: Arc::clone(&origin) };
        record.write(Form::Comma, &mut file)?;
    }
    report("written", &file, processor_ns()? - begin);
    for _ in 0..ROUNDS {
        let begin = processor_ns()?;
        let mut total_ns = 0;
        for record in Reader::<Measurement>::new(file.as_bytes())? {
            total_ns += record?.sample.duration_ns();
        }
        report("read", &file, processor_ns()? - begin);
        assert_eq!(total_ns, (0..RECORDS).map(|k| 40 + k % 97).sum::<u64>(), "not what was written");
    }
    Ok(())
}

/// Processor time of this process, nanoseconds: the first number of Linux's `schedstat`.
fn processor_ns() -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let first = text.split_whitespace().next().unwrap_or_default();
    Ok(first.parse()?)
}

fn report(what: &str, file: &str, took_ns: u64) {
    let seconds = took_ns as f64 / 1e9;
    let (records, megabytes) = (RECORDS as f64 / seconds / 1e6, file.len() as f64 / seconds / 1e6);
    println!("{what}: {records:.1} million records a second, {megabytes:.0} MB a second");
}
