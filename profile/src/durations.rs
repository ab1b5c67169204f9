//! Durations of calls: of a method with what it calls, and its own.

use crate::class::CountedClass;
use spl_graph::forms::field;
use spl_model::arena::Timed;

/// Column heads of the table of durations.
pub const TIMES_HEAD: &str = "method,calls,total_ns,own_ns,callees_ns,probes_in_total_ns,probes_in_own_ns,\
                              total_without_probes_ns,own_without_probes_ns,from_start,doubt\n";

/// Cost of a probe, in picoseconds a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbeCost {
    /// Within the time that it takes.
    pub inside_ps: u64,
    /// Outside of that, in the time of the calling method.
    pub outside_ps: u64,
}

/// The durations of a method's calls that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durations {
    /// The method, as in a task file.
    pub method: String,
    /// Calls.
    pub calls: u64,
    /// Nanoseconds with all that was called; calls within another call of the method are part of that one.
    pub total_ns: u64,
    /// Nanoseconds less those of the measured methods that its calls called.
    pub own_ns: u64,
    /// The estimated part of probes in `total_ns`.
    pub probes_in_total_ns: u64,
    /// The estimated part of probes in `own_ns`.
    pub probes_in_own_ns: u64,
    /// Calls under way at the end, which are not in any figure.
    pub under_way: bool,
    /// Calls without times, which are in no other figure.
    pub untimed: u64,
    /// Whether it was measured from its class's first instruction on.
    pub from_start: bool,
}

/// The durations of a class's methods. `value` gives the value of a word by its number.
#[must_use]
pub fn durations(class: &CountedClass, value: impl Fn(u32) -> u64, cost: ProbeCost) -> Vec<Durations> {
    let measured = class.methods.iter().filter(|method| method.counters == Ok(Timed::WORDS));
    let one = |method: &crate::CountedMethod| {
        let timed = Timed::of(|word| value(method.first.saturating_add(word)));
        Durations::of(
            format!("{}.{}{}", class.name, method.name, method.descriptor),
            timed,
            cost,
            class.from_start,
        )
    };
    measured.map(one).collect()
}

impl Durations {
    fn of(method: String, timed: Timed, cost: ProbeCost, from_start: bool) -> Self {
        let ns = |calls: u64, ps: u64| {
            u64::try_from(u128::from(calls) * u128::from(ps) / 1000).unwrap_or(u64::MAX)
        };
        let ProbeCost { inside_ps, outside_ps } = cost;
        let nested = ns(timed.nested, inside_ps.saturating_add(outside_ps));
        // A thread that began before the probes may end a call that another one has reset: times never go below zero.
        let positive = |ns: u64| u64::try_from(ns as i64).unwrap_or(0);
        let (total_ns, own_ns) = (positive(timed.total_ns), positive(timed.own_ns));
        Self {
            method,
            calls: timed.calls,
            total_ns,
            own_ns,
            probes_in_total_ns: ns(timed.outermost, inside_ps).saturating_add(nested).min(total_ns),
            probes_in_own_ns: ns(timed.calls, inside_ps)
                .saturating_add(ns(timed.called, outside_ps))
                .min(own_ns),
            under_way: timed.active as i64 > 0,
            untimed: timed.untimed,
            from_start,
        }
    }

    /// Nanoseconds in the measured methods that it called, other than itself.
    #[must_use]
    pub fn callees_ns(&self) -> u64 {
        self.total_ns.saturating_sub(self.own_ns)
    }

    /// Nanoseconds of its calls with callees, and of its own, without the estimated part of probes.
    #[must_use]
    pub fn without_probes(&self) -> (u64, u64) {
        (self.total_ns - self.probes_in_total_ns, self.own_ns - self.probes_in_own_ns)
    }

    /// Its line in the table; `doubt` says why its figures may be too low.
    #[must_use]
    pub fn line(&self, doubt: &str) -> String {
        let (total, own) = self.without_probes();
        format!(
            "{},{},{},{},{},{},{},{total},{own},{},{}\n",
            field(&self.method),
            self.calls,
            self.total_ns,
            self.own_ns,
            self.callees_ns(),
            self.probes_in_total_ns,
            self.probes_in_own_ns,
            u8::from(self.from_start),
            field(doubt),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f` calls itself once, and the inner call calls `g` twice.
    #[test]
    fn probes_are_taken_out_by_calls_within_and_below() {
        let cost = ProbeCost { inside_ps: 10_000, outside_ps: 30_000 };
        let timed = Timed {
            calls: 2,
            outermost: 1,
            total_ns: 1000,
            own_ns: 600,
            nested: 3,
            called: 3,
            active: 0,
            untimed: 0,
        };
        let f = Durations::of("A.f()V".to_owned(), timed, cost, true);
        assert_eq!((f.probes_in_total_ns, f.probes_in_own_ns, f.callees_ns()), (130, 110, 400));
        assert_eq!(f.without_probes(), (870, 490));
        assert_eq!(f.line(""), "A.f()V,2,1000,600,400,130,110,870,490,1,\n");
        let g = Timed { calls: 2, outermost: 2, total_ns: 400, own_ns: 400, ..Timed::default() };
        let g = Durations::of("A.g()V".to_owned(), g, cost, true);
        assert_eq!((g.without_probes().1 + f.without_probes().1), f.without_probes().0, "nothing is lost");
    }

    #[test]
    fn no_time_is_below_zero() {
        let cost = ProbeCost { inside_ps: u64::MAX, outside_ps: u64::MAX };
        let timed = Timed {
            calls: 9,
            outermost: 9,
            total_ns: 100,
            own_ns: u64::MAX,
            nested: 1,
            called: 1,
            active: u64::MAX,
            untimed: 2,
        };
        let one = Durations::of("A.f()V".to_owned(), timed, cost, false);
        assert_eq!((one.own_ns, one.without_probes(), one.under_way), (0, (0, 0), false));
    }
}
