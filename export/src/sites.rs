//! The ends of the calls of each place, from the tables of arcs and of receivers, and those of methods.

use crate::callgraph::ARCS;
use crate::fault::Fault;
use crate::rows::METHODS;
use crate::table::Table;
use spl_profile::{Answer, Called, Threads, What};
use std::collections::BTreeMap;

/// Name of the table of calls whose receivers choose.
pub const RECEIVERS: &str = "receivers.csv";

/// The places that call, by the method and the offset of the instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sites {
    of_method: BTreeMap<String, BTreeMap<u32, Site>>,
}

/// A place that calls, with what became of its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Counted methods that calls entered, each with a class of its receivers.
    pub entered: Vec<Entered>,
    /// Calls of other methods whose receivers are known; the method is empty where it is not.
    pub beyond: Vec<Entered>,
    /// Calls of a native method.
    pub native: u64,
    /// Calls that entered a method which does not count.
    pub unseen: u64,
    /// Calls that entered nothing: an exception came before, as far as that is known.
    pub not_entered: u64,
    /// Number of times that the receiver's class was another than that of the entry before in the same thread; `None` where no receiver
    /// chooses.
    pub changes: Option<u64>,
    /// Number of threads in which a receiver chose; `None` where that is not known.
    pub threads: Option<Threads>,
}

/// Calls that reached one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entered {
    /// The method, as in a task file.
    pub method: String,
    /// Class of the receivers, with slashes; empty where it is not known or nothing chooses; several with `or` between them where one
    /// number stands for several.
    pub receiver: String,
    /// The number of calls.
    pub calls: u64,
}

impl Site {
    /// Its calls whose receivers are known: where a receiver chooses.
    pub fn received(&self) -> impl Iterator<Item = &Entered> {
        self.entered.iter().chain(&self.beyond)
    }

    /// Adds changes of the receiver's class, and threads in which one chose.
    fn count(&mut self, changes: u64, threads: Option<Threads>) {
        self.changes = Some(self.changes.unwrap_or(0).saturating_add(changes));
        let before = self.threads.unwrap_or_default();
        self.threads = threads.map(|more| Threads {
            least: before.least.saturating_add(more.least),
            most: before.most.saturating_add(more.most),
        });
    }

    fn enter(&mut self, method: &str, receiver: &str, calls: u64) {
        self.entered.push(Entered { method: method.to_owned(), receiver: receiver.to_owned(), calls });
    }

    /// Adds calls of another method, if their receivers are known.
    fn receive(&mut self, method: &str, receiver: &str, calls: u64) {
        if !receiver.is_empty() {
            self.beyond.push(Entered { method: method.to_owned(), receiver: receiver.to_owned(), calls });
        }
    }

    /// Its calls that entered a counted method.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entered.iter().fold(0, |sum, one| sum.saturating_add(one.calls))
    }
}

impl Sites {
    /// Reads both tables.
    ///
    /// # Errors
    /// When one of them is damaged.
    pub fn read(arcs: &[u8], receivers: &[u8]) -> Result<Self, Fault> {
        let mut all = Self::default();
        let mut table = Table::read(ARCS, arcs, &["method", "at", "answer", "entered", "receiver", "calls"])?;
        while let Some(row) = table.next()? {
            let (calls, answer) = (row.count(5)?, row.text(2));
            let site = all.site(&row.text(0), row.number(1)?);
            let (method, receiver) = (row.text(3), row.text(4));
            match &*answer {
                "entered" => site.enter(&method, &receiver, calls),
                "native" => {
                    site.receive(&method, &receiver, calls);
                    site.native = site.native.saturating_add(calls);
                }
                "unseen" => {
                    site.receive("", &receiver, calls);
                    site.unseen = site.unseen.saturating_add(calls);
                }
                "not entered" => site.not_entered = site.not_entered.saturating_add(calls),
                // Not among the calls of the place.
                "via" | "implicit" => {}
                other => return Err(row.fault(format!("{other:?} is not an answer to a call"))),
            }
        }
        let mut table = Table::read(RECEIVERS, receivers, &["method", "at", "changes", "threads"])?;
        let is_known = table.also("threads_at_most");
        while let Some(row) = table.next()? {
            let most = if is_known { row.known(4)? } else { None };
            let threads = row.known(3)?.zip(most).map(|(least, most)| Threads { least, most });
            let changes = row.count(2)?;
            let site = all.site(&row.text(0), row.number(1)?);
            site.count(changes, threads);
        }
        Ok(all)
    }

    /// Adds the calls of a method that were just counted.
    pub fn add(&mut self, method: &str, calls: &[Called]) {
        for one in calls {
            let site = self.site(method, one.at);
            for Answer { what, calls } in &one.answers {
                let (method, receiver) = (what.method().unwrap_or_default(), what.receivers());
                let receiver = receiver.map(|names| names.join(" or ")).unwrap_or_default();
                match what {
                    What::Entered { .. } => site.enter(method, &receiver, *calls),
                    What::Native(_) => {
                        site.receive(method, &receiver, *calls);
                        site.native = site.native.saturating_add(*calls);
                    }
                    What::Unseen { .. } => {
                        site.receive("", &receiver, *calls);
                        site.unseen = site.unseen.saturating_add(*calls);
                    }
                    What::NotEntered => site.not_entered = site.not_entered.saturating_add(*calls),
                    What::Via(_) | What::Implicit(_) => {}
                }
            }
            if let Some(changes) = one.changes {
                site.count(changes, one.threads);
            }
        }
    }

    fn site(&mut self, method: &str, at: u32) -> &mut Site {
        self.of_method.entry(method.to_owned()).or_default().entry(at).or_default()
    }

    /// For each counted method the calls that are known to have entered it.
    #[must_use]
    pub fn entries(&self) -> BTreeMap<&str, u64> {
        let mut all: BTreeMap<&str, u64> = BTreeMap::new();
        let sites = self.of_method.values().flat_map(BTreeMap::values);
        for one in sites.flat_map(|site| &site.entered) {
            let sum = all.entry(&one.method).or_default();
            *sum = sum.saturating_add(one.calls);
        }
        all
    }

    /// The places of a method, which is named as in a task file.
    #[must_use]
    pub fn of(&self, method: &str) -> Option<&BTreeMap<u32, Site>> {
        self.of_method.get(method)
    }
}

/// The activations of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activations {
    /// All, which are its calls.
    pub calls: u64,
    /// Activations that an exception ended, or that had not ended with the JVM.
    pub unreturned: u64,
}

/// The activations of each method, which is named as in a task file.
///
/// # Errors
/// When the table is damaged.
pub fn activations(methods: &[u8]) -> Result<BTreeMap<String, Activations>, Fault> {
    let mut all: BTreeMap<String, Activations> = BTreeMap::new();
    let mut table = Table::read(METHODS, methods, &["method", "calls", "thrown_out"])?;
    while let Some(row) = table.next()? {
        let of_method = all.entry(row.text(0).into_owned()).or_default();
        of_method.calls = of_method.calls.saturating_add(row.count(1)?);
        of_method.unreturned = of_method.unreturned.saturating_add(row.count(2)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCS_TABLE: &str = "method,at,line,block,instruction,callee,answer,entered,receiver,calls\n\
        A.f()V,7,1,0,invokevirtual,B.g()V,entered,B.g()V,B,3\n\
        A.f()V,7,1,0,invokevirtual,B.g()V,entered,C.g()V,C,2\n\
        A.f()V,7,1,0,invokevirtual,B.g()V,implicit,B.<clinit>()V,,1\n\
        A.f()V,7,1,0,invokevirtual,B.g()V,not entered,,,4\n";
    const HEAD: &str = "method,at,line,block,instruction,callee,count,entered,methods,receivers,changes,threads,threads_at_most\n";

    #[test]
    fn answers_are_gathered_by_place() {
        let receivers = format!("{HEAD}A.f()V,7,1,0,invokevirtual,B.g()V,9,5,2,2,4,1,3\n");
        let sites = Sites::read(ARCS_TABLE.as_bytes(), receivers.as_bytes()).unwrap();
        let site = &sites.of("A.f()V").unwrap()[&7];
        assert_eq!((site.entries(), site.entered.len(), site.not_entered, site.native), (5, 2, 4, 0));
        assert_eq!((site.changes, site.threads), (Some(4), Some(Threads { least: 1, most: 3 })));
        assert!(sites.of("A.g()V").is_none());
        // Earlier versions did not tell of threads that had one arena.
        let receivers = b"method,at,changes,threads\nA.f()V,7,4,1\n";
        let sites = Sites::read(ARCS_TABLE.as_bytes(), receivers).unwrap();
        assert_eq!(sites.of("A.f()V").unwrap()[&7].threads, None);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let wrong = ARCS_TABLE.replace("implicit", "entred");
        let fault = Sites::read(wrong.as_bytes(), HEAD.as_bytes()).unwrap_err();
        assert!(fault.place == "arcs.csv:4" && fault.reason.contains("entred"), "{fault}");
        let fault = Sites::read(ARCS_TABLE.as_bytes(), b"method,at,changes\n").unwrap_err();
        assert!(fault.place == "receivers.csv:1" && fault.reason.contains("threads"), "{fault}");
        let fault = Sites::read(&ARCS_TABLE.as_bytes()[..150], HEAD.as_bytes()).unwrap_err();
        assert!(fault.reason.contains("cut short"), "{fault}");
    }

    #[test]
    fn activations_are_those_of_the_table() {
        let all = activations(b"method,calls,thrown_out\nA.f()V,3,1\nA.f()V,2,1\nA.g()V,2,\n").unwrap();
        let of = |calls, unreturned| Activations { calls, unreturned };
        assert_eq!(all, [("A.f()V".to_owned(), of(5, 2)), ("A.g()V".to_owned(), of(2, 0))].into());
    }
}
