//! The windows of one group of methods: the turns of the gates, and the window of each call.
//!
//! In a window each method of the group has one turn with its gate open. A call belongs to the turn of its
//! method in which it started, by the JVM's clock, however long it runs. A window is closed when the next one
//! is complete and no call of its turns is outstanding, so that no call is left out for its length. A call
//! that outlasts three times the longest one so far is not waited for: the window is closed and marked.

use crate::call::Call;
use crate::late::Unended;
use crate::roster::Roster;
use crate::{MethodIx, Paired};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The windows of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rotation {
    phase: Phase,
    /// Number of the newest window, from 1.
    window: u64,
    /// Number of windows of this JVM so far: equal to `window`, unless other JVMs have windows too.
    begun: u64,
    /// Number of the newest window that is closed.
    closed: u64,
    /// Number of closed windows in which a call of every method counts.
    full_windows: u64,
    /// Closed windows in which some method was not called, the newest in the lowest bit.
    missed: u16,
    /// Methods whose turn is still to come in this window, the next one last.
    to_come: Vec<MethodIx>,
    /// Turns of the windows that are not closed, in the order in which they began.
    turns: Vec<Turn>,
    /// Median call of each method in the last windows that had any, nanoseconds, the newest last.
    medians_ns: BTreeMap<MethodIx, VecDeque<u64>>,
    /// The greatest of these medians.
    slowest_ns: u64,
    /// The longest call so far, nanoseconds.
    longest_ns: u64,
    /// Fullness of the last turns of each method, and the number of successive turns with it.
    fills: BTreeMap<MethodIx, (Fill, u32)>,
    /// Turns of closed windows with outstanding calls.
    unended: Unended,
    /// Divisor of the configured turn length for each method, because it is called often.
    haste: BTreeMap<MethodIx, u64>,
    /// The least of these divisors.
    least_haste: u64,
    /// Number of times that the group's measurement began, and the last such time, nanoseconds of the owner's
    /// clock.
    shares: (u64, u64),
    /// Openings of gates since then, and whether a call came.
    openings: u64,
    heard: bool,
    /// Number of successive shares without a call.
    silent_shares: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    /// The group is not measured.
    #[default]
    Idle,
    /// The gate of `method` is open.
    Open { method: MethodIx, since_ns: u64 },
    /// The gate of `method` is closed; calls that passed it may still run.
    Draining { method: MethodIx, since_ns: u64, drained: bool },
}

#[derive(Clone, Debug, PartialEq)]
struct Turn {
    window: u64,
    method: MethodIx,
    /// Opening of the gate, nanoseconds of the JVM's clock.
    opened_ns: u64,
    calls: Vec<Call>,
    /// Number of its calls that were discarded.
    discarded: u64,
    /// Closing of the gate, nanoseconds of the owner's clock; `None` while it is open.
    closed_at_ns: Option<u64>,
    /// True once all calls that began in it have ended.
    settled: bool,
    /// Number of calls after which its gate closed by itself; `None` where it was never opened, or where the
    /// number is unknown.
    quota: Option<u64>,
    /// Number of the gate's closing that ended the turn's calls.
    closing: Option<u64>,
}

/// Fullness of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// The gate closed by itself, or could have.
    Full,
    /// There was room for more than twice the calls.
    Sparse,
    /// Fullness between the two.
    Some,
    /// No call: most turns of a method that is called in bursts are empty.
    Empty,
}

/// A closed window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Closed {
    pub(crate) number: u64,
    /// The calls of each method, in the order in which they started.
    pub(crate) calls: BTreeMap<MethodIx, Vec<Call>>,
    /// Methods with a call that began in this window and may still run.
    pub(crate) outstanding: BTreeSet<MethodIx>,
    /// Fullness of its turns.
    pub(crate) fills: Vec<(MethodIx, Fill)>,
}

impl Turn {
    /// Number of calls that its gate took.
    fn taken(&self) -> u64 {
        (self.calls.len() as u64).saturating_add(self.discarded)
    }

    fn fill(&self) -> Fill {
        let calls = self.taken();
        match self.quota {
            Some(quota) if calls >= quota => Fill::Full,
            _ if calls == 0 => Fill::Empty,
            Some(quota) if calls.saturating_mul(5) < quota.saturating_mul(2) => Fill::Sparse,
            _ => Fill::Some,
        }
    }
}

/// Shortest wait for outstanding calls before a window is closed without them, nanoseconds.
const SHORTEST_WAIT_NS: u64 = 10_000_000_000;
/// Successive full turns after which fewer calls are taken, and sparse ones after which more are.
const FULL_TURNS: u32 = 2;
const SPARSE_TURNS: u32 = 8;
/// Multiple of the longest call so far; calls that last longer are not waited for.
const WAIT_FACTOR: u64 = 3;
/// Windows without any call after which a group gives its place to a waiting one.
const SILENT_WINDOWS: u64 = 5;
/// A group that stayed silent n times lets the others have at most 2^n − 1 more shares each, up to this n.
const LONGEST_PAUSE: u32 = 2;

/// Work that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Due {
    Nothing,
    /// The turn is over: the gate closes.
    Rest(MethodIx),
    /// The next gate may open.
    Next,
}

impl Rotation {
    /// One rotation for each unit of the roster.
    pub(crate) fn of_units(roster: &Roster) -> Vec<Self> {
        roster.units().map(|_| Self::default()).collect()
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    /// Starts the group's share of the time.
    pub(crate) fn begin_share(&mut self, now_ns: u64) {
        // Each time a group stays silent, its next turn comes later.
        let pause = (1 << self.silent_shares.min(LONGEST_PAUSE)) - 1;
        self.shares = (self.shares.0.saturating_add(1 + pause), now_ns);
        (self.openings, self.heard) = (0, false);
    }

    /// Starts the current share of the time again.
    pub(crate) fn restart_share(&mut self, now_ns: u64) {
        self.shares.1 = now_ns;
        (self.openings, self.heard) = (0, false);
    }

    /// Whether the group is in its first windows.
    pub(crate) fn is_first(&self) -> bool {
        self.full_windows < Paired::FIRST_WINDOWS
    }

    /// Whether no call came in several windows of this share.
    pub(crate) fn is_silent(&self, members: usize) -> bool {
        !self.heard && self.openings >= SILENT_WINDOWS.saturating_mul(members as u64)
    }

    /// Ends the share of the time: counts whether it was silent.
    pub(crate) fn end_share(&mut self) {
        self.silent_shares = if self.heard { 0 } else { self.silent_shares.saturating_add(1) };
    }

    /// Number of times that the group's measurement began.
    pub(crate) fn shares(&self) -> u64 {
        self.shares.0
    }

    /// Whether the group has had its share of the time since its last start.
    pub(crate) fn has_had_share(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.shares.1) >= Paired::SHARE_NS
    }

    /// Starts the next window, with a number that no window of the group had in any JVM. Every second window
    /// has the reverse order of the one before; the order of the other windows is drawn. Load that comes and
    /// goes with the windows therefore affects each method alike.
    pub(crate) fn begin(&mut self, number: u64, mut members: Vec<MethodIx>) {
        self.window = number;
        self.begun += 1;
        let pair = (self.begun - 1) / 2;
        if pair > 0 {
            shuffle(&mut members, pair);
        }
        if self.begun % 2 == 1 {
            members.reverse();
        }
        self.to_come = members;
    }

    /// The method whose turn is next in this window.
    pub(crate) fn next(&mut self, roster: &Roster) -> Option<MethodIx> {
        while let Some(method) = self.to_come.pop() {
            if !roster.is_finished(method) {
                return Some(method);
            }
        }
        None
    }

    /// Notes that the gate of `method` opens.
    pub(crate) fn opened(&mut self, method: MethodIx, now_ns: u64, jvm_ns: u64) {
        self.phase = Phase::Open { method, since_ns: now_ns };
        self.turns.push(Turn {
            window: self.window,
            method,
            opened_ns: jvm_ns,
            calls: Vec::new(),
            discarded: 0,
            closed_at_ns: None,
            settled: false,
            quota: None,
            closing: None,
        });
    }

    /// Notes the quota of the newest turn's gate: this number of calls, and again as many when it is opened
    /// again.
    pub(crate) fn gate_opened(&mut self, method: MethodIx, quota: u64) {
        if let Some(turn) = self.turns.last_mut().filter(|turn| turn.method == method) {
            self.openings += 1;
            turn.quota = Some(turn.quota.unwrap_or(0).saturating_add(quota));
        }
    }

    /// The work that is due at this time.
    pub(crate) fn due(&mut self, now_ns: u64, paired: &Paired, roster: &Roster) -> Due {
        let since = |since_ns: u64| now_ns.saturating_sub(since_ns);
        match self.phase {
            Phase::Open { method, since_ns } if !roster.is_finished(method) => {
                if now_ns < self.turn_end_ns(method, since_ns, paired) {
                    return Due::Nothing;
                }
                self.phase = Phase::Draining { method, since_ns: now_ns, drained: false };
                if let Some(turn) = self.turns.last_mut() {
                    turn.closed_at_ns = Some(now_ns);
                    // A gate that was never opened let no call through.
                    turn.settled |= turn.quota.is_none();
                }
                Due::Rest(method)
            }
            Phase::Open { method, .. } => {
                // Its method has finished meanwhile, and nobody waits for its calls. An open turn would keep all later windows open.
                if let Some(turn) = self.turns.last_mut().filter(|turn| turn.method == method) {
                    turn.closed_at_ns = Some(now_ns);
                    turn.settled = true;
                }
                Due::Next
            }
            Phase::Draining { method, since_ns, drained }
                if !roster.is_finished(method) && !drained && since(since_ns) < paired.overlap_bound_ns =>
            {
                Due::Nothing
            }
            Phase::Idle | Phase::Draining { .. } => Due::Next,
        }
    }

    /// Time of the next due work, if nothing else happens.
    pub(crate) fn due_ns(&self, paired: &Paired) -> Option<u64> {
        match self.phase {
            Phase::Idle => None,
            Phase::Open { method, since_ns } => Some(self.turn_end_ns(method, since_ns, paired)),
            Phase::Draining { since_ns, .. } => Some(since_ns.saturating_add(paired.overlap_bound_ns)),
        }
    }

    /// End of a method's turn that began at `since_ns`.
    fn turn_end_ns(&self, method: MethodIx, since_ns: u64, paired: &Paired) -> u64 {
        // Where the owner does not decide, calls are paired one by one, so all turns of a window have the
        // same length.
        let own = || self.haste.get(&method).copied().unwrap_or(1).min(self.most_haste(paired));
        let haste = if paired.owner_decides { own() } else { self.least_haste };
        let shortest = paired.min_turn_ns / haste.max(1);
        let end_ns = since_ns.saturating_add(shortest.max(self.slowest_ns.saturating_mul(paired.medians())));
        // A gate opens just behind a beat. The next beat after the end would make three beats of two.
        let beat_ns = paired.beat_ns().max(1);
        end_ns.saturating_add(beat_ns / 2) / beat_ns * beat_ns
    }

    /// Notes the closing of a gate with its number: the finished turns of the method wait for the calls that
    /// it let through.
    pub(crate) fn gate_closed(&mut self, of: MethodIx, closing: u64) {
        // The gate may have stayed open into the next window, and the turn of another method may have begun.
        const NEWEST: usize = 3;
        let over = |turn: &&mut Turn| turn.method == of && turn.closed_at_ns.is_some();
        for turn in self.turns.iter_mut().rev().take(NEWEST).filter(over) {
            turn.closing.get_or_insert(closing);
        }
    }

    /// Notes that all calls of `of` that its gate let through between the closing before this one and this
    /// one have ended; without a number, all calls of its finished turns.
    pub(crate) fn drained(&mut self, of: MethodIx, closing: Option<u64>) {
        let over = |turn: &&mut Turn| turn.method == of && turn.closed_at_ns.is_some();
        for turn in self.turns.iter_mut().filter(over) {
            turn.settled |= closing.is_none() || turn.closing == closing;
        }
        let newest = self.turns.iter().rev().find(|turn| turn.method == of);
        if let (Phase::Draining { method, drained, .. }, Some(newest)) = (&mut self.phase, newest) {
            *drained |= *method == of && newest.settled;
        }
    }

    /// The late calls of closed windows that have no outstanding call left, now that the calls of this
    /// closing have ended; without a number, of all closings.
    pub(crate) fn completed(&mut self, method: MethodIx, closing: Option<u64>) -> Vec<(u64, Vec<Call>)> {
        self.unended.completed(method, closing)
    }

    /// Stops the measurement of the group; calls on their way are still held.
    pub(crate) fn pause(&mut self) {
        self.phase = Phase::Idle;
        self.to_come.clear();
    }

    /// Forgets the calls of a group that is finished.
    pub(crate) fn clear(&mut self) {
        self.turns = Vec::new();
        self.unended = Unended::default();
    }

    /// Keeps a call until its window is closed, at most `room` calls a turn, and gives the window's number. A
    /// call of a closed window is kept if the window was closed without it. A call is not kept when the turn
    /// is full.
    pub(crate) fn hold(&mut self, method: MethodIx, call: Call, room: u64) -> Option<u64> {
        let begun = |turn: &&mut Turn| turn.method == method && turn.opened_ns <= call.start_ns;
        let Some(turn) = self.turns.iter_mut().rev().find(begun) else {
            return self.unended.hold(method, call);
        };
        if turn.calls.len() as u64 >= room {
            return None;
        }
        turn.calls.push(call);
        self.heard = true;
        Some(turn.window)
    }

    /// Counts a discarded call that started at this time of the JVM's clock: its method is called, and its gate
    /// took it.
    pub(crate) fn pass_over(&mut self, method: MethodIx, start_ns: u64) {
        let begun = |turn: &&mut Turn| turn.method == method && turn.opened_ns <= start_ns;
        if let Some(turn) = self.turns.iter_mut().rev().find(begun) {
            turn.discarded += 1;
            self.heard = true;
        }
    }

    /// Keeps a call of an earlier run in its old window, and gives whether that window was still open. Later
    /// windows get higher numbers.
    pub(crate) fn hold_again(&mut self, window: u64, method: MethodIx, call: Call) -> bool {
        if window <= self.closed {
            return false;
        }
        self.window = self.window.max(window);
        self.begun = self.begun.max(window);
        let known = self.turns.iter().position(|turn| (turn.window, turn.method) == (window, method));
        let index = known.unwrap_or_else(|| {
            let index = self.turns.partition_point(|turn| turn.window <= window);
            // The time of the gate's opening is unknown, but no call of this run began in that turn.
            let (opened_ns, closed_at_ns, settled) = (u64::MAX, Some(0), true);
            let (calls, quota, closing) = (Vec::new(), None, None);
            self.turns.insert(
                index,
                Turn {
                    window,
                    method,
                    opened_ns,
                    calls,
                    discarded: 0,
                    closed_at_ns,
                    settled,
                    quota,
                    closing,
                },
            );
            index
        });
        self.turns[index].calls.push(call);
        true
    }

    /// Closes the oldest window, if its number is at most `newest` and it need not wait for calls; without a
    /// time it never waits.
    pub(crate) fn close_oldest(
        &mut self,
        newest: u64,
        now_ns: Option<u64>,
        paired: &Paired,
    ) -> Option<Closed> {
        let number = self.turns.first().map(|turn| turn.window).filter(|&number| number <= newest)?;
        let of_window = self.turns.iter().take_while(|turn| turn.window == number);
        let unsettled = of_window.clone().filter(|turn| !turn.settled);
        let wait_ns =
            self.longest_ns.saturating_mul(WAIT_FACTOR).max(SHORTEST_WAIT_NS).min(paired.longest_wait_ns);
        let due = |turn: &Turn| {
            now_ns.is_none_or(|now| turn.closed_at_ns.is_some_and(|at| now.saturating_sub(at) >= wait_ns))
        };
        if !unsettled.clone().all(due) {
            return None;
        }
        for turn in unsettled.clone().filter(|_| paired.owner_decides) {
            self.unended.wait_for(turn.window, turn.method, turn.opened_ns, turn.closing);
        }
        let outstanding = unsettled.map(|turn| turn.method).collect();
        self.full_windows += u64::from(of_window.clone().all(|turn| !turn.calls.is_empty()));
        self.missed = self.missed << 1 | u16::from(of_window.clone().any(|turn| turn.taken() == 0));
        let mut taken: BTreeMap<MethodIx, u64> = BTreeMap::new();
        of_window.clone().for_each(|turn| *taken.entry(turn.method).or_default() += turn.taken());
        let fills: Vec<(MethodIx, Fill)> = of_window.map(|turn| (turn.method, turn.fill())).collect();
        let fills = fills.into_iter().map(|(method, fill)| (method, self.lasting(method, fill))).collect();
        self.closed = number;
        let rest = self.turns.iter().position(|turn| turn.window != number).unwrap_or(self.turns.len());
        for index in 0..rest {
            let method = self.turns[index].method;
            let next =
                self.turns.get(index + 1).filter(|next| next.method != method).map(|next| next.opened_ns);
            for call in &mut self.turns[index].calls {
                call.overlapped = next.is_some_and(|next| call.end_ns > next);
            }
        }
        let mut calls: BTreeMap<MethodIx, Vec<Call>> = BTreeMap::new();
        for turn in self.turns.drain(..rest) {
            calls.entry(turn.method).or_default().extend(turn.calls);
        }
        for (&method, calls) in &mut calls {
            calls.sort_by_key(|call| (call.start_ns, call.end_ns));
            if let Some(median) = median_ns(calls.iter().map(Call::duration_ns)) {
                let medians = self.medians_ns.entry(method).or_default();
                medians.push_back(median);
                // A window may have a single call, and a long one.
                if medians.len() > paired.remembered() {
                    medians.pop_front();
                }
            }
        }
        let typical = |medians: &VecDeque<u64>| median_ns(medians.iter().copied());
        self.slowest_ns = self.medians_ns.values().filter_map(typical).max().unwrap_or(0);
        self.hasten(&taken, paired);
        let longest = calls.values().flatten().map(Call::duration_ns).max().unwrap_or(0);
        self.longest_ns = self.longest_ns.max(longest);
        Some(Closed { number, calls, outstanding, fills })
    }

    /// A method counts as full or sparse only after several such turns in succession: a single turn may be
    /// longer than others, or have met the end of a burst.
    fn lasting(&mut self, method: MethodIx, fill: Fill) -> Fill {
        let (last, seen) = self.fills.entry(method).or_insert((fill, 0));
        // A turn without calls says nothing.
        if fill == Fill::Empty {
            return fill;
        }
        *seen = if *last == fill { *seen + 1 } else { 1 };
        *last = fill;
        let asked = match fill {
            Fill::Full => FULL_TURNS,
            Fill::Sparse => SPARSE_TURNS,
            Fill::Some | Fill::Empty => return fill,
        };
        if *seen < asked {
            return Fill::Some;
        }
        *seen = 0;
        fill
    }

    /// The greatest divisor of the configured turn length by now.
    fn most_haste(&self, paired: &Paired) -> u64 {
        // Short turns seldom meet the bursts of all methods.
        let meets_all = self.missed.count_ones() <= Paired::FEW_MISSED;
        let are_short = paired.owner_decides && self.is_first() && meets_all;
        if are_short { Paired::FIRST_SHORTEST } else { Paired::SHORTEST }
    }

    /// Shortens the turns of methods that had enough calls in a window, and lengthens those of methods that
    /// had too few. A rare method keeps its long turns, and does not lengthen those of others.
    fn hasten(&mut self, taken: &BTreeMap<MethodIx, u64>, paired: &Paired) {
        let most = self.most_haste(paired);
        for (&method, &calls) in taken {
            let haste = self.haste.entry(method).or_insert(1);
            *haste = match calls {
                // A method that is called in bursts has no call in many turns of any length: more
                // turns meet its bursts.
                0 if paired.owner_decides => *haste,
                few if few < paired.enough() => *haste / 2,
                many if many >= 2 * paired.enough() => {
                    (*haste).max(1).saturating_mul(many / paired.enough()).min(most)
                }
                _ => *haste,
            };
        }
        self.least_haste = self.haste.values().min().copied().unwrap_or(1);
    }
}

/// Fisher and Yates's shuffle with the generator SplitMix64 (Steele, Lea, Flood 2014) and this seed.
fn shuffle(members: &mut [MethodIx], seed: u64) {
    let mut state = seed.wrapping_mul(0xD134_2543_DE82_EF95);
    let mut random = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    for last in (1..members.len()).rev() {
        let other = ((u128::from(random()) * (last as u128 + 1)) >> 64) as usize;
        members.swap(last, other);
    }
}

/// The upper median.
fn median_ns(durations: impl Iterator<Item = u64>) -> Option<u64> {
    let mut durations: Vec<u64> = durations.collect();
    let middle = durations.len() / 2;
    (!durations.is_empty()).then(|| *durations.select_nth_unstable(middle).1)
}
