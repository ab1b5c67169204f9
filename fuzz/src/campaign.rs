//! The loop: mutate an input, try it, keep new outcomes, stop at a failure.

use crate::mutate::mutate;
use crate::outcome;
use crate::rng::Rng;
use peak_alloc::PeakAlloc;
use std::collections::HashSet;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, io};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Most bytes that a target may allocate for one input. The largest inputs have 64 KiB.
pub const MAX_HEAP_BYTES: usize = 64 << 20;
/// Time limit of one input; far more than any input needs, because tests share their machine.
pub const MAX_TIME: Duration = Duration::from_secs(10);

const ITERATIONS_VARIABLE: &str = "SPL_FUZZ_ITERATIONS";
const SEED_VARIABLE: &str = "SPL_FUZZ_SEED";
const DEFAULT_SEED: u64 = 1;
/// Most inputs that are mutated further; later ones rarely lead to new outcomes.
const MAX_POOL: usize = 4096;

/// One target's run.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// Name of the target and of its folder in `corpus/`.
    pub name: &'a str,
    /// Inputs that are tried unchanged, then mutated.
    pub seeds: Vec<Vec<u8>>,
    /// Byte strings with a meaning for the target.
    pub words: &'a [&'a [u8]],
    /// Most mutations of one input.
    pub mutations: usize,
    /// Length to which longer inputs are cut, in bytes.
    pub max_bytes: usize,
    /// Inputs to try, unless the environment sets a number.
    pub iterations: u64,
    /// Folder for failed inputs.
    pub failures: PathBuf,
}

impl Campaign<'_> {
    /// Runs the campaign. The result of `target` depends only on the input: its generator is seeded by the
    /// input.
    ///
    /// # Panics
    /// When an input fails.
    pub fn run(&self, target: impl Fn(&[u8], &mut Rng) -> u64) {
        let iterations = variable(ITERATIONS_VARIABLE).unwrap_or(self.iterations);
        self.run_for(iterations, variable(SEED_VARIABLE).unwrap_or(DEFAULT_SEED), target);
    }

    fn run_for(&self, iterations: u64, seed: u64, target: impl Fn(&[u8], &mut Rng) -> u64) {
        let began = Instant::now();
        let mut seen = HashSet::new();
        let mut pool = self.seeds.clone();
        for input in &self.seeds {
            seen.insert(self.check(input, &target));
        }
        let mut rng = Rng::new(seed);
        for _ in 0..iterations {
            let mut input = rng.pick(&pool).cloned().unwrap_or_default();
            for _ in 0..=rng.below(self.mutations) {
                let other = rng.below(pool.len().max(1));
                mutate(&mut input, &mut rng, self.words, pool.get(other).map_or(&[][..], |other| other));
            }
            input.truncate(self.max_bytes);
            if seen.insert(self.check(&input, &target)) && pool.len() < MAX_POOL {
                pool.push(input);
            }
        }
        let (tried, outcomes, took) = (self.seeds.len() as u64 + iterations, seen.len(), began.elapsed());
        // Written to stderr directly, because the test harness hides the output of passing tests.
        let _ = writeln!(
            io::stderr(),
            "fuzz {}: {tried} inputs, {outcomes} outcomes, seed {seed}, {:.1} s",
            self.name,
            took.as_secs_f64()
        );
    }

    fn check(&self, input: &[u8], target: &impl Fn(&[u8], &mut Rng) -> u64) -> u64 {
        let began = Instant::now();
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        let result = catch_unwind(AssertUnwindSafe(|| target(input, &mut Rng::new(outcome(input)))));
        let heap = HEAP.peak_usage().saturating_sub(before);
        let took = began.elapsed();
        match result {
            Ok(_) if heap > MAX_HEAP_BYTES => self.fail(input, &format!("allocated {heap} bytes")),
            Ok(_) if took > MAX_TIME => self.fail(input, &format!("took {took:?}")),
            Ok(outcome) => outcome,
            Err(panic) => self.fail(input, &format!("panicked: {}", text_of(&*panic))),
        }
    }

    fn fail(&self, input: &[u8], what: &str) -> ! {
        let path = self.failures.join(format!("{}-{:016x}", self.name, outcome(input)));
        let saved = match fs::write(&path, input) {
            Ok(()) => format!("saved as {}; put it into fuzz/corpus/{}", path.display(), self.name),
            Err(error) => format!("it cannot be saved as {} ({error}): {input:?}", path.display()),
        };
        panic!("fuzz {}: an input of {} bytes {what}; {saved}", self.name, input.len());
    }
}

/// A number from the environment.
fn variable(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is not a number")))
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(target: impl Fn(&[u8]) -> u64) -> Option<String> {
        let failures = env::temp_dir();
        let campaign = Campaign {
            name: "self",
            seeds: vec![b"seed".to_vec()],
            words: &[b"bad"],
            mutations: 2,
            max_bytes: 64,
            iterations: 0,
            failures,
        };
        let result = catch_unwind(AssertUnwindSafe(|| campaign.run_for(5000, 1, |input, _| target(input))));
        let text = result.err().map(|panic| text_of(&*panic).to_owned())?;
        let path = text.split("saved as ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
        fs::remove_file(path).unwrap();
        Some(text)
    }

    #[test]
    fn panics_and_large_allocations_are_found_and_nothing_else() {
        assert_eq!(failure(|input| input.len() as u64), None);
        let panics = failure(|input| {
            assert!(!input.starts_with(b"bad"), "found it");
            0
        });
        assert!(panics.unwrap().contains("panicked: found it"));
        let allocates = failure(|input| {
            let bytes = if input.is_empty() { MAX_HEAP_BYTES + 1 } else { 0 };
            vec![0_u8; bytes].len() as u64
        });
        assert!(allocates.unwrap().contains("allocated"));
    }
}
