//! Paired sampling: the gates of a group take turns in windows, and calls of the same window are compared.

use crate::call::Call;
use crate::decision::{MethodTurn, Turns, Window};
use crate::standing::Status;
use crate::windows::{Closed, Due, Fill, Rotation};
use crate::{Action, Cause, MethodIx, Paired, Scheduler, select};
use spl_model::{Bucket, ClaimIx, Claimed, Sample};
use std::collections::{BTreeMap, BTreeSet};

/// Calls of one window by method, in the order in which they started.
type Calls = BTreeMap<MethodIx, Vec<Call>>;

impl MethodTurn {
    fn of(method: MethodIx, calls: &[Call], outstanding: bool) -> Self {
        Self {
            method,
            began_ns: calls.first().map_or(0, |call| call.start_ns),
            calls: calls.iter().map(|call| (call.bucket.clone(), call.duration_ns())).collect(),
            sizes: calls.iter().map(|call| call.size).collect(),
            outstanding,
        }
    }
}

impl Scheduler {
    /// Time of the next [`Event::Pulse`](crate::Event::Pulse) if nothing else happens before: the next turn
    /// of a gate, in the owner's clock. `None` where no gates take turns.
    #[must_use]
    pub fn wake_ns(&self) -> Option<u64> {
        let paired = self.settings.windows()?;
        self.stations().flat_map(|jvm| &jvm.rotations).filter_map(|rotation| rotation.due_ns(&paired)).min()
    }

    /// Starts to measure the group of `method`; `cause` is that of the first gate to open.
    pub(crate) fn begin_windows(&mut self, method: MethodIx, cause: Cause) {
        let unit = self.unit_of(method);
        let members = self.jvm.roster.unfinished_of(unit);
        for &member in &members {
            self.set_status(member, Status::Resting);
        }
        self.jvm.rotations[unit].begin_share(self.now_ns);
        self.begin_window(unit, members);
        self.open_next(unit, cause);
    }

    /// The method whose group is measured next. Where the owner decides, groups with the fewest starts come
    /// first: no group waits until the claims of others are decided.
    pub(crate) fn next_to_measure(&self) -> Option<MethodIx> {
        let chosen = select::to_measure(&self.jvm.roster, &self.tallies, &self.claims);
        if self.listens() {
            return self.next_in_turn(chosen);
        }
        if !self.settings.owner_decides() {
            return chosen;
        }
        let shares =
            |method: MethodIx| self.jvm.rotations.get(self.unit_of(method)).map_or(0, Rotation::shares);
        let fewest = self.jvm.roster.waiting().min_by_key(|&method| shares(method))?;
        chosen.filter(|&method| shares(method) <= shares(fewest)).or(Some(fewest))
    }

    /// Suspends a group between two of its windows when it has had its share of the time, or is not called,
    /// and another group waits.
    fn give_place(&mut self, unit: usize) {
        let waits = self.settings.owner_decides()
            && !self.jvm.is_cold()
            && self.jvm.roster.waiting().next().is_some();
        let members = self.jvm.roster.unfinished_of(unit);
        let rotation = &mut self.jvm.rotations[unit];
        let cause = if rotation.is_silent(members.len()) { Cause::NotCalled } else { Cause::ShareOver };
        if !waits || (cause == Cause::ShareOver && !rotation.has_had_share(self.now_ns)) {
            return;
        }
        rotation.end_share();
        for member in members {
            self.set_status(member, Status::Suspended);
            self.decide(Action::Suspend(member), cause.clone());
        }
    }

    /// Starts the current share of the time of each measured group again.
    pub(crate) fn restart_shares(&mut self) {
        let is_active = |(unit, _): &(usize, &mut Rotation)| self.jvm.roster.is_active(*unit);
        let active = self.jvm.rotations.iter_mut().enumerate().filter(is_active);
        active.for_each(|(_, rotation)| rotation.restart_share(self.now_ns));
    }

    /// Starts the next window of a group. Its number is unique in all JVMs.
    fn begin_window(&mut self, unit: usize, members: Vec<MethodIx>) {
        let newest = self.stations().filter_map(|jvm| jvm.rotations.get(unit)).map(Rotation::window).max();
        let gone = self.gone_windows.get(unit).copied().unwrap_or(0);
        self.jvm.rotations[unit].begin(newest.unwrap_or(0).max(gone) + 1, members);
    }

    /// Opens the next gate of this window; `false` when there is none.
    fn open_next(&mut self, unit: usize, cause: Cause) -> bool {
        let Some(method) = self.jvm.rotations[unit].next(&self.jvm.roster) else { return false };
        let jvm_ns = self.jvm.jvm_ns(self.now_ns);
        self.jvm.rotations[unit].opened(method, self.now_ns, jvm_ns);
        self.set_status(method, Status::Measured);
        self.jvm.gates.begin_turn(method);
        self.decide(Action::Measure(method), cause);
        true
    }

    pub(crate) fn drained(&mut self, method: MethodIx, closing: Option<u64>) {
        let unit = self.unit_of(method);
        if let Some(rotation) = self.jvm.rotations.get_mut(unit) {
            rotation.drained(method, closing);
        }
        self.complete_windows(method, closing);
    }

    /// Reports the late calls of the closed windows of a method that have no outstanding call left.
    fn complete_windows(&mut self, method: MethodIx, closing: Option<u64>) {
        let unit = self.unit_of(method);
        let completed =
            self.jvm.rotations.get_mut(unit).map_or_else(Vec::new, |one| one.completed(method, closing));
        for (number, calls) in completed {
            for call in &calls {
                self.take_counted(method, &call.bucket, call.duration_ns());
            }
            let turns = Turns { number, turns: vec![MethodTurn::of(method, &calls, false)] };
            self.decide(Action::Turns(Box::new(turns)), Cause::WindowClosed);
        }
    }

    /// Ends and begins the turns of all groups that are due.
    pub(crate) fn turn_windows(&mut self) {
        let Some(paired) = self.settings.windows() else { return };
        for unit in 0..self.jvm.rotations.len() {
            self.turn_unit(unit, &paired);
        }
        self.balance(None);
    }

    fn turn_unit(&mut self, unit: usize, paired: &Paired) {
        while self.jvm.roster.is_active(unit) {
            match self.jvm.rotations[unit].due(self.now_ns, paired, &self.jvm.roster) {
                Due::Nothing => return,
                Due::Rest(method) => {
                    self.set_status(method, Status::Resting);
                    self.decide(Action::Rest(method), self.turn_cause(unit));
                }
                Due::Next => {
                    if self.open_next(unit, self.turn_cause(unit)) {
                        return;
                    }
                    // The current window is complete, so the wait of the one before it is over.
                    self.close_windows(
                        unit,
                        self.jvm.rotations[unit].window().saturating_sub(1),
                        Some(self.now_ns),
                    );
                    self.give_place(unit);
                    if !self.jvm.roster.is_active(unit) {
                        break;
                    }
                    let members = self.jvm.roster.unfinished_of(unit);
                    self.begin_window(unit, members);
                    if self.open_next(unit, self.turn_cause(unit)) {
                        return;
                    }
                }
            }
        }
        self.jvm.rotations[unit].pause();
        if self.jvm.roster.unfinished_of(unit).is_empty() {
            self.jvm.rotations[unit].clear();
        }
    }

    fn turn_cause(&self, unit: usize) -> Cause {
        Cause::Turn { window: self.jvm.rotations[unit].window() }
    }

    /// Keeps a call until its window is closed, and notes the window's number in the sample.
    pub(crate) fn hold(&mut self, method: MethodIx, bucket: Bucket, sample: &mut Sample) {
        let unit = self.unit_of(method);
        let room = self.settings.effective_max();
        sample.window = self.jvm.rotations[unit].hold(method, Call::new(sample, bucket), room);
        if sample.window.is_none() {
            self.add_surplus(method, 1);
        }
    }

    /// Notes a discarded call in its turn.
    pub(crate) fn pass_over(&mut self, method: MethodIx, sample: &Sample) {
        let unit = self.unit_of(method);
        if let Some(rotation) = self.jvm.rotations.get_mut(unit) {
            rotation.pass_over(method, sample.start_ns());
        }
    }

    /// Keeps a call of an earlier run until its window is closed. As in that run, a window is closed when the
    /// one after the next begins.
    pub(crate) fn hold_again(&mut self, method: MethodIx, bucket: Bucket, sample: &Sample) {
        let Some(window) = sample.window else { return };
        let unit = self.unit_of(method);
        self.close_windows(unit, window.saturating_sub(2), Some(self.now_ns));
        if !self.jvm.rotations[unit].hold_again(window, method, Call::new(sample, bucket)) {
            self.add_surplus(method, 1);
        }
    }

    pub(crate) fn close_windows_of(&mut self, method: MethodIx) {
        let unit = self.unit_of(method);
        if unit < self.jvm.rotations.len() {
            self.close_windows(unit, u64::MAX, None);
        }
    }

    pub(crate) fn close_all_windows(&mut self) {
        for unit in 0..self.jvm.rotations.len() {
            self.close_windows(unit, u64::MAX, None);
        }
    }

    /// Closes the windows up to a number: pairs their calls, decides full buckets, finishes methods that have
    /// enough samples. Without a time it does not wait for outstanding calls.
    fn close_windows(&mut self, unit: usize, newest: u64, now_ns: Option<u64>) {
        let Some(paired) = self.settings.paired else { return };
        while let Some(closed) = self.jvm.rotations[unit].close_oldest(newest, now_ns, &paired) {
            let members = self.jvm.roster.unfinished_of(unit);
            if paired.owner_decides {
                if !self.jvm.is_cold() {
                    self.spread_calls(&closed.fills);
                }
                // Calls that the end of the run cuts off are the long ones, so such windows would be biased.
                if now_ns.is_some() || closed.outstanding.is_empty() {
                    self.tell_turns(&members, &closed);
                } else {
                    for (&method, calls) in &closed.calls {
                        self.add_surplus(method, calls.len() as u64);
                    }
                }
            } else {
                self.pair_calls(&members, &closed);
            }
            members.into_iter().for_each(|member| self.finish_at_limit(member));
        }
    }

    /// Reports a window's calls to the owner, which decides. Of a method with more calls than its partners,
    /// the number of calls that find a partner counts, and at least one: otherwise a partner that is never
    /// called would keep the method measured without end. At most a window's share counts, so that there are
    /// many windows.
    fn tell_turns(&mut self, members: &[MethodIx], closed: &Closed) {
        let Closed { number, calls, outstanding, .. } = closed;
        let n = |method: &MethodIx| calls.get(method).map_or(0, Vec::len);
        // More than the quota of the first windows is never taken.
        let quota = self.settings.turn_quota(true).map_or(usize::MAX, |quota| quota as usize);
        for &member in members {
            let Some(list) = calls.get(&member) else { continue };
            let partners = |claim| self.claims.methods(claim).iter().map(n).min().unwrap_or(0);
            let counted = self.claims.open_of(member).map(partners).max().unwrap_or(0).clamp(1, quota);
            for call in list.iter().take(counted) {
                self.take_counted(member, &call.bucket, call.duration_ns());
            }
            self.add_surplus(member, list.len().saturating_sub(counted) as u64);
        }
        let turn = |method: &MethodIx| {
            let calls = calls.get(method).map_or(&[][..], Vec::as_slice);
            MethodTurn::of(*method, calls, outstanding.contains(method))
        };
        let turns = Turns { number: *number, turns: members.iter().map(turn).collect() };
        self.decide(Action::Turns(Box::new(turns)), Cause::WindowClosed);
    }

    /// Takes fewer calls of a method whose gate closed before its turn was over, and more where there is
    /// room. The first calls of a turn are not a fair choice: calls that follow a long call are too frequent
    /// among them, and the long call itself is left out if it comes after the quota.
    fn spread_calls(&mut self, fills: &[(MethodIx, Fill)]) {
        let most = self.jvm.budget.map_or(Paired::MOST_EVERY, |budget| budget.max_every);
        for &(method, fill) in fills {
            let old = self.jvm.meters.every(method);
            let every = match fill {
                Fill::Full if old <= most / 2 => old * 2,
                Fill::Sparse => (old / 2).max(1),
                Fill::Full | Fill::Some | Fill::Empty => old,
            };
            if every != old {
                self.jvm.meters.set_every(method, every);
                self.decide(Action::SampleEvery { method, every }, Cause::Spread);
            }
        }
    }

    fn pair_calls(&mut self, members: &[MethodIx], closed: &Closed) {
        let Closed { number, calls, .. } = closed;
        let open: BTreeSet<ClaimIx> =
            members.iter().flat_map(|&member| self.claims.open_of(member)).collect();
        let mut assertions = Vec::new();
        let mut used: BTreeSet<(MethodIx, usize)> = BTreeSet::new();
        let mut full = Vec::new();
        for claim in open {
            match self.claims.claimed(claim) {
                Claimed::Comparison(index) => {
                    let buckets = self.pair(index, *number, calls, &mut used);
                    full.extend(buckets.into_iter().map(|bucket| (claim, bucket)));
                }
                Claimed::Assertion(_) => assertions.push(claim),
            }
        }
        self.record_used(members, calls, &used);
        full.extend(assertions.into_iter().filter_map(|claim| Some((claim, self.full_bucket(claim)?))));
        full.into_iter().for_each(|(claim, bucket)| self.decide_full(claim, &bucket));
    }

    /// The bucket that decides an assertion now, if the assertion is one that its first full bucket decides.
    fn full_bucket(&self, claim: ClaimIx) -> Option<Bucket> {
        let first = self.claims.methods(claim).first().filter(|_| self.claims.is_decided_by_first(claim))?;
        let needed = self.settings.min_samples;
        let is_full = |bucket: &&Bucket| self.claims.is_full(claim, bucket, &self.tallies, needed);
        self.tallies.get(*first)?.buckets.keys().find(is_full).cloned()
    }

    /// Pairs the calls of a comparison in each bucket, first with first. Gives the full buckets.
    fn pair(
        &mut self,
        comparison: usize,
        number: u64,
        calls: &Calls,
        used: &mut BTreeSet<(MethodIx, usize)>,
    ) -> Vec<Bucket> {
        let [left, right] = self.claims.sides(comparison);
        let of = |method: MethodIx| calls.get(&method).map_or(&[][..], Vec::as_slice);
        let mut by_bucket: BTreeMap<&Bucket, [Vec<usize>; 2]> = BTreeMap::new();
        for (side, method) in [left, right].into_iter().enumerate() {
            for (index, call) in of(method).iter().enumerate() {
                by_bucket.entry(&call.bucket).or_default()[side].push(index);
            }
        }
        let mut full = Vec::new();
        for (bucket, [lefts, rights]) in by_bucket {
            let pairs = lefts.len().min(rights.len());
            if pairs == 0 {
                continue;
            }
            let both = || lefts.iter().map(|&at| (left, at)).chain(rights.iter().map(|&at| (right, at)));
            let overlapped = both().filter(|&(method, at)| of(method)[at].overlapped).count();
            used.extend(lefts[..pairs].iter().map(|&at| (left, at)));
            used.extend(rights[..pairs].iter().map(|&at| (right, at)));
            let times = |method, chosen: &[usize]| {
                chosen[..pairs].iter().map(|&at| of(method)[at].duration_ns()).collect::<Vec<u64>>()
            };
            let window = Window {
                comparison,
                bucket: bucket.clone(),
                number,
                left_ns: times(left, &lefts),
                right_ns: times(right, &rights),
                surplus: (lefts.len() + rights.len() - 2 * pairs) as u64,
                overlapped: overlapped as u64,
            };
            let count = self.claims.add_pairs(comparison, bucket, &window.left_ns, &window.right_ns);
            if count >= self.settings.min_samples {
                full.push(bucket.clone());
            }
            self.decide(Action::Window(Box::new(window)), Cause::WindowClosed);
        }
        full
    }

    /// Records the calls that found a partner. One call of a method without any partner still counts:
    /// otherwise a partner that is never called would keep it measured without end.
    fn record_used(&mut self, members: &[MethodIx], calls: &Calls, used: &BTreeSet<(MethodIx, usize)>) {
        for &member in members {
            let Some(list) = calls.get(&member) else { continue };
            let none = !(0..list.len()).any(|at| used.contains(&(member, at)));
            // An assertion uses all calls.
            let alone = self.claims.is_asserted(member);
            for (at, call) in list.iter().enumerate() {
                if alone || used.contains(&(member, at)) || (none && at == 0) {
                    self.take_counted(member, &call.bucket, call.duration_ns());
                } else {
                    self.add_surplus(member, 1);
                }
            }
        }
    }

    fn add_surplus(&mut self, method: MethodIx, count: u64) {
        if let Some(method) = self.tallies.get_mut(method) {
            method.surplus = method.surplus.saturating_add(count);
        }
    }

    /// The group whose windows a method shares; methods of different groups count their windows apart.
    #[must_use]
    pub fn group_of(&self, method: MethodIx) -> usize {
        self.unit_of(method)
    }

    pub(crate) fn unit_of(&self, method: MethodIx) -> usize {
        self.jvm.roster.get(method).map_or(usize::MAX, |method| method.unit)
    }
}
