//! The ends of calls by their receivers: which method an object of a class chooses follows from the class files.

use crate::arcs::{Answer, Arcs, What};
use crate::hierarchy::Method;
use crate::method::Bytecodes;
use spl_graph::{CallKind, NumberedCall};
use spl_model::arena::Arc;

const UNCOUNTED: &str = "the method does not count";
const UNKNOWN: &str = "its class does not count";

impl Arcs {
    /// The answers to the calls of a place, where it counted its receivers; `known` of them if their class is known.
    pub(crate) fn by_receivers(
        &self,
        one: &NumberedCall<'_, '_>,
        (class, member): (&str, &str),
        count: Bytecodes,
        known: u64,
    ) -> Vec<Answer> {
        let mut answers = Vec::new();
        let left = count.most - count.least;
        if !one.call.is_dispatched() {
            // The calls that are certain: an exception may have left the block in front of the others.
            let what = match one.call.kind {
                CallKind::Dynamic => What::unseen("the JVM makes the called method itself"),
                CallKind::Virtual | CallKind::Interface | CallKind::Special | CallKind::Static => {
                    self.reached(self.hierarchy.resolved(class, member), member, None)
                }
            };
            answers.push(Answer { what, calls: count.least });
            answers.push(Answer { what: What::NotEntered, calls: left });
        } else {
            if one.call.is_exact {
                let found = self.hierarchy.chosen(class, class, member);
                let what = self.reached(found, member, Some(vec![class.to_owned()]));
                answers.push(Answer { what, calls: known });
            } else {
                for (arc, calls) in self.of_call.get(&one.number).into_iter().flatten() {
                    Answer { what: self.chosen(arc, class, member), calls: *calls }.add_to(&mut answers);
                }
            }
            answers.sort_by_key(|answer| std::cmp::Reverse(answer.calls));
            let known = answers.iter().fold(0, |sum: u64, answer| sum.saturating_add(answer.calls));
            let rest = count.most.saturating_sub(known);
            answers.push(Answer { what: What::NotEntered, calls: rest.min(left) });
            let why =
                "a thread without counters of its own made the call, or receivers counted later than calls";
            answers.push(Answer { what: What::unseen(why), calls: rest.saturating_sub(left) });
        }
        answers.retain(|answer| answer.calls > 0);
        answers
    }

    /// The end of the calls of some receivers.
    fn chosen(&self, arc: &Arc, class: &str, member: &str) -> What {
        let receivers = self.named(arc.class, class);
        let mut all = receivers.iter().map(|receiver| self.hierarchy.chosen(receiver, class, member));
        let first = all.next().flatten();
        let found = first.filter(|_| all.all(|other| other == first));
        self.reached(found, member, Some(self.told_apart(arc.class, receivers)))
    }

    /// A method as the end of calls.
    fn reached(&self, found: Option<(&str, Method)>, member: &str, receivers: Option<Vec<String>>) -> What {
        let method = |class: &str| format!("{class}.{member}");
        match found {
            Some((class, Method::Counted)) => What::Entered { method: method(class), receivers },
            Some((class, Method::Native)) => {
                What::Native(receivers.map(|receivers| (method(class), receivers)))
            }
            Some((_, Method::Other)) => What::Unseen { why: UNCOUNTED, receivers },
            None => What::Unseen { why: UNKNOWN, receivers },
        }
    }
}
