//! The methods that calls entered, for the page.

use spl_model::one_line;
use spl_profile::{Answer, Called, What};
use spl_report::drill::{Answered, Link, MOST_SITES, Site, Sites};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Most answers of a site that are kept for the page.
const MOST_ANSWERS: usize = 200;

/// Calls whose receiver chooses the method.
#[derive(Debug, Default)]
pub struct Gathering {
    kinds: [usize; 3],
    /// Those with most methods and calls so far.
    listed: Vec<Site>,
}

impl Gathering {
    /// Takes the calls of a method in.
    pub fn add(&mut self, method: &str, calls: &[Called]) {
        for (one, changes) in calls.iter().filter_map(|one| Some((one, one.changes?))) {
            let (methods, classes) = one.polymorphism();
            if methods == 0 {
                continue;
            }
            self.kinds[classes.clamp(1, 3) - 1] += 1;
            let rank = (Reverse(methods.max(classes)), Reverse(one.count));
            let at = self.listed.partition_point(|other| rank_of(other) <= rank);
            if at < MOST_SITES {
                self.listed.insert(at, site(method, one, (methods, classes), changes));
                self.listed.truncate(MOST_SITES);
            }
        }
    }

    /// The sites for the page. `places` has the methods that are drawn.
    pub fn sites(mut self, places: &BTreeMap<String, usize>) -> Sites {
        for site in &mut self.listed {
            site.drawn = places.get(&site.method).copied();
        }
        Sites { kinds: self.kinds, listed: self.listed }
    }
}

fn rank_of(site: &Site) -> (Reverse<usize>, Reverse<u64>) {
    (Reverse(site.methods.max(site.classes)), Reverse(site.calls))
}

fn site(method: &str, one: &Called, (methods, classes): (usize, usize), changes: u64) -> Site {
    let mut answers: Vec<Answered> = one.answers.iter().map(answered).collect();
    answers.sort_by_key(|answer| (!answer.is_among, Reverse(answer.calls)));
    answers.truncate(MOST_ANSWERS);
    Site {
        method: one_line(method),
        drawn: None,
        line: one.line,
        block: one.block,
        callee: callee(one),
        calls: one.count,
        classes,
        methods,
        changes,
        answers,
    }
}

/// The method that the code names.
fn callee(one: &Called) -> String {
    match &*one.class {
        "" => one_line(&format!("dynamic {}", one.member)),
        class => one_line(&format!("{class}.{}", one.member)),
    }
}

fn answered(answer: &Answer) -> Answered {
    Answered {
        what: what(answer),
        method: one_line(answer.what.method().unwrap_or_default()),
        receivers: answer.what.receivers().map(names).unwrap_or_default(),
        calls: answer.calls,
        is_among: !matches!(answer.what, What::Via(_) | What::Implicit(_)),
    }
}

fn names(all: &[String]) -> String {
    if all.is_empty() { "a class without a name".to_owned() } else { one_line(&all.join(" or ")) }
}

fn what(answer: &Answer) -> String {
    match answer.what {
        What::Unseen { why, .. } => format!("unseen: {why}"),
        What::Entered { .. } | What::Via(_) | What::Implicit(_) | What::Native(_) | What::NotEntered => {
            answer.what.name().to_owned()
        }
    }
}

/// Callees of a method, each with the call; a callee that was not entered by the name in the code.
pub fn links(method: &str, calls: &[Called]) -> Vec<(String, Link)> {
    let mut all = Vec::new();
    for one in calls {
        for answer in &one.answers {
            let Answered { what, method: entered, receivers, calls, .. } = answered(answer);
            let link = Link {
                method: one_line(method),
                block: one.block,
                count: (calls, calls),
                answer: what,
                receivers,
            };
            all.push((if entered.is_empty() { callee(one) } else { entered }, link));
        }
    }
    all
}

/// Whether the calls entered the method that they lead to.
pub fn has_entered(link: &Link) -> bool {
    link.answer.is_empty() || ["entered", "via", "implicit"].contains(&&*link.answer)
}
