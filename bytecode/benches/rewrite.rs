//! Cost of rewriting every method of the installed JDK: in all, for the median class, and compared with
//! reading and writing the same classes unchanged with `ristretto_classfile`. Run `cargo bench -p
//! spl-bytecode`.
//!
//! Totals are CPU times of this thread, because other programs may be busy. The kinds of work take turns,
//! which criterion cannot do, and the median of the rounds counts. The median class is chosen by wall-clock
//! time, with each class rewritten once; criterion then measures it with warm caches.

#[path = "../tests/jdk/image.rs"]
#[expect(dead_code, reason = "tests link the classes, too")]
mod image;
#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "tests run more tools")]
mod support;

use criterion::Criterion;
use image::{Class, Jdk, everything};
use spl_bytecode::{Plan, inspect, instrument, verify};
use spl_model::Sizing;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

fn main() {
    let jdk = Jdk::all().into_iter().next().expect("a JDK is installed");
    let classes = jdk.classes(&support::folder("bench"));
    let plans: Vec<Plan> = classes.iter().map(|class| everything(&class.bytes, &Sizing::None)).collect();
    // A refused class stays as it is.
    let rewritten = |(class, plan): (&Class, &Plan)| {
        instrument(&class.bytes, plan).map_or_else(|_| class.bytes.clone(), |new| new.bytes)
    };
    let outputs: Vec<Vec<u8>> = classes.iter().zip(&plans).map(rewritten).collect();
    let (mut unchanged, mut read, mut checked, mut all) = (vec![], vec![], vec![], vec![]);
    let pairs: Vec<_> = classes.iter().zip(&plans).collect();
    for _ in 0..ROUNDS {
        unchanged.push(total(&classes, read_and_write));
        read.push(total(&classes, |class| drop(black_box(inspect(&class.bytes)))));
        checked.push(total(&outputs, |bytes| drop(black_box(verify(bytes)))));
        all.push(total(&pairs, |(class, plan)| drop(black_box(instrument(&class.bytes, plan)))));
    }
    let [unchanged, read, checked, all] = [unchanged, read, checked, all].map(|mut times| median(&mut times));
    let ms = |ns: u64| ns / 1_000_000;
    let ratio = |ns: u64| ns as f64 / unchanged as f64;
    println!("JDK {}: {} classes, {ROUNDS} rounds", jdk.version(), classes.len());
    println!("read and write unchanged (ristretto_classfile) {} ms", ms(unchanged));
    println!("read without their code (this crate) {} ms", ms(read));
    println!("rewrite every method {} ms, the check's part of it {} ms", ms(all), ms(checked));
    println!("ratio {:.2}, without the check {:.2}", ratio(all), ratio(all.saturating_sub(checked)));
    let (time, (class, plan)) = median_class(&pairs);
    println!("median class {:.1} us: {}, {} bytes", time.as_secs_f64() * 1e6, class.name, class.bytes.len());
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("rewrite the median class", |bencher| {
        bencher.iter(|| instrument(&class.bytes, plan));
    });
    criterion.final_summary();
}

/// The median class by the time it takes to rewrite it.
fn median_class<'a>(pairs: &[(&'a Class, &'a Plan)]) -> (Duration, (&'a Class, &'a Plan)) {
    let time = |(class, plan): &(&Class, &Plan)| {
        // The kernel's steps of a running thread's CPU time are longer than this takes.
        let start = Instant::now();
        black_box(instrument(&class.bytes, plan)).ok();
        start.elapsed()
    };
    let mut times: Vec<_> = pairs.iter().map(|pair| (time(pair), *pair)).collect();
    times.sort_by_key(|(time, _)| *time);
    times[times.len() / 2]
}

fn read_and_write(class: &Class) {
    let read = ristretto_classfile::ClassFile::from_bytes(&class.bytes).expect("a class file");
    let mut written = Vec::with_capacity(class.bytes.len());
    read.to_bytes(&mut written).expect("what was read can be written");
    black_box(written);
}

fn total<T>(items: &[T], work: impl Fn(&T)) -> u64 {
    let start = cpu_ns();
    items.iter().for_each(work);
    cpu_ns() - start
}

/// CPU time of this thread, nanoseconds: the first number in the kernel's `schedstat`.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    text.split(' ').next().and_then(|number| number.parse().ok()).expect("it begins with a number")
}

fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}
