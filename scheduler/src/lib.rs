//! Choice of the methods that are measured at each moment: state, event and time give new state and actions.
//!
//! The scheduler decides which methods are measured at each moment (thesis 1.5, 3.2.4, 3.2.5). It reads no
//! clock and does no I/O: its owner feeds it [`Event`]s with the time at which they happened and carries out
//! the [`Decision`]s that come back. Equal events at equal times give equal decisions.
//!
//! ```
//! use spl_lang::{MeasuredMethod, RunMode, Tasks};
//! use spl_scheduler::{Action, Event, MethodIx, Scheduler, Settings};
//! let method = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I".parse()?;
//! let methods = vec![MeasuredMethod { method, processor: None, line: 1 }];
//! let settings = Settings { mode: RunMode::Measurement, ..Settings::thesis() };
//! let mut scheduler = Scheduler::new(settings, &Tasks { methods, ..Tasks::default() })?;
//! let decisions = scheduler.handle(Event::Start, 0);
//! assert_eq!(decisions[0].action, Action::Measure(MethodIx(0)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The owner's part
//!
//! | action | what the owner does |
//! |---|---|
//! | [`Action::Measure`], [`Action::Suspend`], [`Action::Rest`], [`Action::Listen`], [`Action::SampleEvery`] | nothing: gates and probes follow by orders of their own |
//! | [`Action::Open`] | opens the method's gate, or again if it is open; its probes are in or come with the `Retransform` before it |
//! | [`Action::ClosedGateCosts`] | tells the operator |
//! | [`Action::Close`] | closes the gate at once; the probes stay until a `Retransform` takes them out |
//! | [`Action::Window`] | nothing (only with windows) |
//! | [`Action::Turns`] | looks at the calls, because it decides itself (only with windows) |
//! | [`Action::Finished`] | writes what is left of the method's samples |
//! | [`Action::Retransform`] | one request to the JVM: puts the probes of some methods in, takes those of others out |
//! | [`Action::Evaluated`] | writes the evaluation to the results |
//! | [`Action::Done`] | detaches: nothing is left to measure; it comes once |
//!
//! Times are nanoseconds of two clocks: `now_ns` is the owner's monotonic clock, a
//! [`Sample`](spl_model::Sample) carries the monotonic clock of the JVM. Only windows compare them, by way of
//! [`Event::Clock`]. A cycle is one call of [`Scheduler::handle`]: the owner gathers what arrived within
//! `cycle-sleep` into one [`Event::Samples`], or says [`Event::Tick`].
//!
//! # Several JVMs
//!
//! Several JVMs of one service may feed one measurement ([`Scheduler::handle_in`]). Samples, buckets, limits
//! and claims are common to all of them. Each JVM has its own state of every method: gate, probes, warm-up,
//! the law with its times, the budget, the windows and the clock. A window belongs to one JVM and has a
//! number that no other window has, so that calls of two JVMs are never a pair. A method that cannot be
//! measured in one JVM ends there; it ends completely when no JVM can measure it. Each [`Decision`] names its
//! JVM. With one JVM everything is as in a scheduler for one JVM.
//!
//! # Beyond the thesis
//!
//! The pauses of changes of classes, as far as [`Event::Changed`] tells them, take at most a twentieth of the
//! time under all settings.
//!
//! Each of these is off in [`Settings::thesis`] and works without the others:
//!
//! - [`Settings::warm_up`] discards the first samples after a class changed;
//! - [`Settings::restore_after_ns`] leaves the probes of suspended and finished methods in for a while,
//!   behind closed gates;
//! - [`Settings::instrument_ahead`] puts the probes of waiting methods in when classes change anyway;
//! - [`Settings::changes_per_minute`] caps and merges changes of classes. A method is measured, in the law's
//!   sense, when its gate is open, even if its probes still wait for the next change;
//! - [`Settings::budget`] lets each gate take what an account pays for, and thins the sampling of busy
//!   methods, so that probes stay under a ceiling;
//! - [`Settings::listening`] gives the places of methods that are not called, or have had their share of the
//!   time, to methods that wait;
//! - [`Settings::paired`] measures the methods of a comparison in shared windows, one gate at a time, and
//!   compares calls of the same windows only. The owner says [`Event::Pulse`] at [`Scheduler::wake_ns`].
//!
//! With windows, a call belongs to the turn in which it started. A window is closed when the next one is
//! complete and none of its calls is outstanding, or a call takes much longer than all before it. A call that
//! comes later, or that finds no partner in its bucket, is surplus: it counts toward no maximum. One call a
//! window counts even without a partner; otherwise a partner that is never called would keep a method
//! measured without end. When one side is finished, its comparisons end, because the other side alone makes
//! no pairs. Groups keep caller and callee apart only when they are compared with each other, directly or
//! through other methods.
//!
//! # Where the thesis leaves a choice
//!
//! - **Silence.** A cycle without data compares the time since the last receipt with `max-measuring-diff`.
//!   The thesis names nothing that would restart that time, so each such cycle adds one more method while the
//!   silence lasts (its figure 4.7 shows the result: all remaining methods are measured at once).
//! - **Suspended methods** count as waiting, not as started, in their class's priority: a suspension undoes
//!   the start (3.2.5). Equal classes go by the task file.
//! - **Ends out of order.** Ends are sorted within a batch. One that lies before the end of an earlier batch
//!   adds an end and no time to the difference. A method's own last gap is that of its two latest ends,
//!   suspension or not.
//! - **The law sees every sample**, also samples that came late or in warm-up: each of them cost the program
//!   time.
//! - **A comparison of a method that can't be measured** is given up at once, so its partner may finish.
//! - **One finished side.** The other goes on to its own maximum: a pair of full buckets may still come
//!   about.
//! - **Leftover buckets** with fewer than two samples a side are left out and counted in the cause. Only when
//!   there is no better one, the comparison is not evaluated, once, with the reason.

#![forbid(unsafe_code)]

mod asserting;
mod budget;
mod call;
mod claims;
mod decision;
mod event;
mod filling;
mod finishing;
mod gates;
mod gating;
mod jvms;
mod lacking;
mod late;
mod law;
mod listening;
mod pace;
mod paired;
mod probes;
mod progress;
mod roster;
mod samples;
mod scheduler;
mod select;
mod settings;
mod standing;
mod station;
mod tally;
mod whole;
mod windows;

pub use decision::{Action, Cause, Decision, MethodTurn, Situation, Turns, Window};
pub use event::{Event, JvmIx, MethodIx};
pub use filling::{FilledBucket, Filling, Named, Remedy, Shortfall};
pub use progress::MethodProgress;
pub use scheduler::Scheduler;
pub use settings::{Budget, Paired, Settings, SettingsError, WarmUp};
pub use standing::Status;
