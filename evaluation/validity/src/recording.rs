//! A recorded run, as `spl` writes it: the calls of two methods that take turns in windows.

use crate::processes::{Arrival, Machine, Process, Sizes, TURN_NS};
use crate::random::Random;
use std::fmt::Write;
use std::path::Path;

/// When the first turn begins.
const START_NS: f64 = 1e8;
/// Time between the end of a call and the start of the next one, at least.
const PAUSE_NS: f64 = 1e3;
/// Where a line has the number of its window.
const WINDOW_FIELD: usize = 6;

/// A method's name in the tasks, and its file's; `number` parts pairs from each other.
#[must_use]
pub fn method(side: usize, number: usize) -> String {
    format!("p/A{number}.{}()V", ["l", "r"][side])
}

/// The recorded calls of both sides in comma form.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Lines of the left and the right method.
    pub lines: [String; 2],
    /// Number of calls of each.
    pub calls: [usize; 2],
    /// The sum of the times, nanoseconds, before the clock rounds them.
    pub sums_ns: [f64; 2],
}

impl Recording {
    /// Windows of a process; the right method takes `ratio` times as long. Every second window has the
    /// reverse order.
    #[must_use]
    pub fn of(process: &Process, ratio: f64, windows: usize, number: usize, random: &mut Random) -> Self {
        let mut sources = process.sources(random);
        let mut machine = Machine::new(process.load, random);
        let names = [method(0, number), method(1, number)];
        let mut recording = Self::default();
        let mut now = START_NS + random.uniform() * process.step_ns as f64;
        for window in 1..=windows {
            let order = if window % 2 == 1 { [1, 0] } else { [0, 1] };
            for (half, side) in order.into_iter().enumerate() {
                let opened = now;
                sources[side].turn();
                let calls = if process.is_called(side, window) { process.calls[side] } else { 0 };
                let mut call = 0;
                while process.is_open(call, calls, now - opened) {
                    let in_turn = (call as f64 / calls as f64).min(1.0);
                    let moment = (window as f64 - 1.0 + (half as f64 + in_turn) / 2.0) / windows as f64;
                    let load = machine.at(moment, 0.5 / calls as f64);
                    let (time, size) = sources[side].call(load, moment);
                    let time = if side == 1 { time * ratio } else { time };
                    if process.arrival != Arrival::Closed {
                        now = now.max(opened + in_turn * TURN_NS);
                    }
                    // Otherwise the clock's phase would be the same at each call.
                    now += random.uniform() * process.step_ns as f64;
                    recording.add(process, side, &names[side], [now, now + time], size, window);
                    now += time + if process.arrival == Arrival::Closed { 0.0 } else { PAUSE_NS };
                    call += 1;
                }
                now = now.max(opened + TURN_NS);
            }
        }
        recording
    }

    fn add(
        &mut self,
        process: &Process,
        side: usize,
        name: &str,
        [start, end]: [f64; 2],
        size: usize,
        window: usize,
    ) {
        let step = process.step_ns;
        let read = |time: f64| time as u64 / step * step;
        let size = if process.sizes == Sizes::None { "-".to_owned() } else { (50 + 100 * size).to_string() };
        let line = writeln!(self.lines[side], "{},{},0,1,{name},{size},{window},0,7", read(start), read(end));
        debug_assert!(line.is_ok(), "a text takes everything that is written into it");
        self.calls[side] += 1;
        self.sums_ns[side] += end - start;
    }

    /// The recording after this number of windows.
    #[must_use]
    pub fn up_to(&self, windows: usize) -> Self {
        let is_of = |line: &&str| {
            let window = line.split(',').nth(WINDOW_FIELD).and_then(|field| field.parse().ok());
            window.is_some_and(|window: usize| window <= windows)
        };
        let kept = |lines: &String| lines.lines().take_while(is_of).map(|line| format!("{line}\n")).collect();
        Self { lines: [kept(&self.lines[0]), kept(&self.lines[1])], ..self.clone() }
    }

    /// Writes both files.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path, number: usize) -> std::io::Result<()> {
        for side in [0, 1] {
            let file = format!("{}.msr", method(side, number).replace('/', "."));
            std::fs::write(folder.join(file), &self.lines[side])?;
        }
        Ok(())
    }
}
