//! Reasons why a method lacks samples; this is the only place that finds them.

use crate::settings::MIN_SIDE;
use crate::station::Station;
use crate::tally::Tally;
use crate::{MethodIx, Scheduler};
use spl_model::{Lack, Spent, SpentOn, Taken};
use spl_verdict::NotEvaluated;

impl Scheduler {
    /// Reason why a method has no two samples that could be judged together; `None` when it has.
    #[must_use]
    pub fn lack(&self, method: MethodIx) -> Option<Lack> {
        self.lack_of_pairs(method, None)
    }

    /// Replaces a general reason by one that names methods, where one of these methods lacks samples. With
    /// windows, `pairs` is the number of each side's samples that found a partner; other samples do not
    /// count.
    pub(crate) fn give_reason(&self, why: &mut NotEvaluated, methods: &[MethodIx], pairs: Option<u64>) {
        let is_general = match why {
            NotEvaluated::TooFewSamples { .. } | NotEvaluated::NoCommonBucket => true,
            NotEvaluated::NotMeasured(text) => text.is_empty(),
            NotEvaluated::OutOfRange
            | NotEvaluated::BadLimit
            | NotEvaluated::NoSuchQuantile(_)
            | NotEvaluated::Undecided { .. }
            | NotEvaluated::Open { .. }
            | NotEvaluated::Lacking(_) => false,
        };
        if !is_general {
            return;
        }
        let mut lacks: Vec<(MethodIx, Lack)> = Vec::new();
        for &method in methods {
            let known = lacks.iter().any(|(one, _)| *one == method);
            lacks.extend(self.lack_of_pairs(method, pairs).filter(|_| !known).map(|lack| (method, lack)));
        }
        // A method with calls lacks partners only because the other side has none.
        let is_alone = |(_, lack): &(MethodIx, Lack)| !matches!(lack, Lack::Discarded(_));
        if pairs.is_some() && lacks.iter().any(is_alone) {
            lacks.retain(is_alone);
        }
        let is_hopeless =
            |(_, lack): &(MethodIx, Lack)| matches!(lack, Lack::Unmeasurable { .. } | Lack::NotLoaded);
        let hopeless = lacks.iter().any(is_hopeless);
        if hopeless {
            lacks.retain(is_hopeless);
        }
        let texts = self.texts(lacks);
        if hopeless {
            *why = NotEvaluated::NotMeasured(texts);
        } else if !texts.is_empty() {
            *why = NotEvaluated::Lacking(texts);
        }
    }

    /// Texts of the methods' reasons, each reason once with all its methods.
    fn texts(&self, lacks: Vec<(MethodIx, Lack)>) -> String {
        let mut reasons: Vec<(Lack, Vec<String>)> = Vec::new();
        for (method, lack) in lacks {
            match reasons.iter_mut().find(|(known, _)| *known == lack) {
                Some((_, names)) => names.push(self.name(method)),
                None => reasons.push((lack, vec![self.name(method)])),
            }
        }
        let text = |(lack, names): (Lack, Vec<String>)| {
            // The reason concerns the run and not a method.
            let is_of_all = matches!(lack, Lack::NotBegun { .. });
            if is_of_all { lack.to_string() } else { format!("{}: {lack}", names.join(" and ")) }
        };
        reasons.into_iter().map(text).collect::<Vec<_>>().join("; ")
    }

    fn lack_of_pairs(&self, index: MethodIx, pairs: Option<u64>) -> Option<Lack> {
        let method = self.tallies.get(index)?;
        if let Some(missing) = &method.missing {
            return Some(missing.clone());
        }
        let taken = self.taken(index, method, pairs);
        if taken.counted >= MIN_SIDE as u64 {
            // Calls of all sizes are judged together where the owner decides.
            let by_size = self.settings.windows().is_none_or(|windows| !windows.owner_decides);
            let is_single = by_size && method.buckets.values().all(|times| times.len() < MIN_SIDE);
            let sizes = method.buckets.len() as u64;
            return is_single.then_some(Lack::Scattered { calls: method.counted, sizes });
        }
        let has_begun = |jvm: &Station| jvm.last_receipt_ns.is_some() && !jvm.is_cold();
        let not_begun = self.not_begun.clone().filter(|_| !self.stations().any(has_begun));
        Some(if let Some(not_begun) = not_begun {
            not_begun
        } else if taken.total() > 0 {
            Lack::Discarded(taken)
        } else if self.stations().all(|jvm| jvm.last_receipt_ns.is_none()) {
            Lack::NotRecorded
        } else if method.openings > 0 {
            let since = self.stations().filter_map(|jvm| jvm.gates.open_since_ns(index));
            let newest = since.map(|since| self.now_ns.saturating_sub(since)).sum::<u64>();
            Lack::NeverCalled { open_ns: method.open_ns.saturating_add(newest), lost: taken.lost }
        } else if method.unpaid {
            Lack::NoBudget { spent: self.most_spent() }
        } else {
            Lack::NoTurn
        })
    }

    fn taken(&self, index: MethodIx, method: &Tally, pairs: Option<u64>) -> Taken {
        let counted = pairs.map_or(method.counted, |pairs| pairs.min(method.counted));
        Taken {
            counted,
            warm_up: method.discarded - method.disturbed,
            disturbed: method.disturbed,
            surplus: method.surplus.saturating_add(method.counted - counted),
            late: method.late,
            lost: self.tallies.dropped_of(&[index]),
        }
    }

    /// The largest expense of the budget.
    fn most_spent(&self) -> Option<Spent> {
        let name = |method| self.name(method);
        let bills = self.stations().flat_map(|jvm| jvm.meters.bills_ns());
        let of_methods = bills.flat_map(|(method, calls, sizes)| {
            [(SpentOn::Calls(name(method)), calls), (SpentOn::Sizes(name(method)), sizes)]
        });
        let all: Vec<(SpentOn, u64)> = {
            let agents = self.stations().map(|jvm| (SpentOn::Agent, jvm.meters.agent_extra_ns()));
            of_methods.chain(agents).collect()
        };
        let of_ns = all.iter().fold(0_u64, |sum, (_, ns)| sum.saturating_add(*ns));
        let (on, ns) = all.into_iter().max_by_key(|(_, ns)| *ns).filter(|(_, ns)| *ns > 0)?;
        Some(Spent { on, ns, of_ns })
    }
}
