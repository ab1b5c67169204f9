//! The values of the chosen metrics in each space, with what is known of them.

use crate::amount::{Amount, Figure};
use crate::bins::Bin;
use crate::choice::Choice;
use crate::collect::Collected;
use crate::metric::{Metric, Need, Reading, Settings};
use crate::of_drill::OfDrill;
use crate::reasons::{HIDDEN, NO_CODE, NO_JDK, SOME};
use crate::space::Space;
use crate::tally::Tally;

/// The values of a drill.
#[derive(Clone, Debug)]
pub struct Values {
    /// The program's main class or JAR with its arguments.
    pub command: String,
    /// Its spaces, in their order.
    pub spaces: Vec<InSpace>,
    /// Enabled metrics that were not computed, with what the drill lacks for them.
    pub lacking: Vec<(&'static Metric, Vec<Need>)>,
}

/// The values of a space.
#[derive(Clone, Debug)]
pub struct InSpace {
    /// The name of the space.
    pub name: String,
    /// Why methods of it did not count, by the choice of the drill or because they were refused; empty if all did.
    pub uncounted: Vec<String>,
    /// The metrics, in the order of the table.
    pub metrics: Vec<Measured>,
}

/// A metric with its values.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The metric.
    pub metric: &'static Metric,
    /// Its options.
    pub settings: Settings,
    /// One value, or one for each key.
    pub values: Vec<Value>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its key, if there are several.
    pub bin: Option<Bin>,
    /// Its bounds; none for 0/0.
    pub found: Option<[Figure; 2]>,
    /// Its certainty.
    pub exactness: Exactness,
    /// Why it is not exact, or why there is none.
    pub reasons: Vec<String>,
}

/// The certainty of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// The value is exact, or certainly does not exist.
    Exact,
    /// The value lies between its bounds.
    Bounded,
    /// The value is an estimate from samples, and the bounds are its 95% interval where one can be given.
    Sampled,
    /// Something did not count, so it and its bounds are about a part.
    Partial,
}

impl Exactness {
    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bounded => "bounded",
            Self::Sampled => "sampled",
            Self::Partial => "partial",
        }
    }
}

impl Values {
    /// The values of the chosen metrics.
    #[must_use]
    pub fn of(command: &str, collected: &Collected, choice: &Choice) -> Self {
        let lacks = |need: &Need| need.is_lacking(collected.has) || collected.is_unheard(*need);
        let (mut computed, mut lacking) = (Vec::new(), Vec::new());
        for (metric, settings) in choice.enabled() {
            let lacks: Vec<Need> = metric.needs.iter().copied().filter(lacks).collect();
            match metric.read.filter(|_| lacks.is_empty()) {
                Some(read) => computed.push((metric, settings, read)),
                None => lacking.push((metric, lacks)),
            }
        }
        let spaces = collected.spaces.iter().filter(|(space, tally)| {
            // Without the JDK there is no library, unless the program has one.
            space.name != "lib" || tally.classes > 0
        });
        let spaces = spaces.map(|(space, tally)| InSpace {
            name: space.name.clone(),
            uncounted: uncounted(space, tally, &collected.of_drill),
            metrics: computed
                .iter()
                .map(|(metric, settings, read)| {
                    let why = partial(metric, space, tally, &collected.of_drill);
                    let values = match read(tally, settings) {
                        Reading::One(amount) => vec![value(None, amount, &why)],
                        Reading::Bins(bins) => {
                            bins.into_iter().map(|(bin, amount)| value(Some(bin), amount, &why)).collect()
                        }
                    };
                    Measured { metric, settings: *settings, values }
                })
                .collect(),
        });
        Self { command: command.to_owned(), spaces: spaces.collect(), lacking }
    }

    /// Whether no metric could be computed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spaces.iter().all(|space| space.metrics.is_empty())
    }

    /// A line for each set of needs that the drill lacks, with the metrics that need them.
    #[must_use]
    pub fn lacks(&self) -> Vec<String> {
        let mut grouped: Vec<(&[Need], Vec<String>)> = Vec::new();
        for (metric, needs) in &self.lacking {
            match grouped.iter_mut().find(|(known, _)| known == needs) {
                Some((_, names)) => names.push(metric.full_name()),
                None => grouped.push((needs, vec![metric.full_name()])),
            }
        }
        let line = |(needs, names): (&[Need], Vec<String>)| {
            let texts: Vec<&str> = needs.iter().map(|need| need.text()).collect();
            let metrics =
                if names.len() == 1 { "1 metric needs" } else { &format!("{} metrics need", names.len()) };
            let command = Need::command(needs);
            format!("{metrics} {}; `{command}` has it: {}", texts.join(" and "), names.join(", "))
        };
        grouped.into_iter().map(line).collect()
    }
}

fn value(bin: Option<Bin>, amount: Amount, why: &[String]) -> Value {
    let exactness = match (
        why.is_empty() && amount.is_sampled && amount.found.is_some(),
        why.is_empty(),
        amount.is_exact() && (amount.found.is_none() || amount.reasons.is_empty()),
    ) {
        (true, ..) => Exactness::Sampled,
        (_, false, _) => Exactness::Partial,
        // An exact count with a reason lacks something, too.
        (_, true, false) if amount.is_least || amount.is_exact() => Exactness::Partial,
        (_, true, false) => Exactness::Bounded,
        (_, true, true) => Exactness::Exact,
    };
    let reasons = amount.reasons.into_iter().chain(why.iter().cloned()).collect();
    Value { bin, found: amount.found, exactness, reasons }
}

/// Why methods of a space did not count. A drill leaves them out when it names others, and the agent refuses some.
fn uncounted(space: &Space, tally: &Tally, of_drill: &OfDrill) -> Vec<String> {
    let without_jdk = (space.has_jdk() && !of_drill.has_jdk).then(|| NO_JDK.to_owned());
    let without_some = match (space.is_named(), tally.doubts.missing) {
        (true, 0) => None,
        (true, missing) => Some(format!("{missing} of its methods did not count")),
        (false, _) => (!of_drill.has_all).then(|| SOME.to_owned()),
    };
    without_jdk.into_iter().chain(without_some).collect()
}

/// Why a metric of a space is about a part of it.
fn partial(metric: &Metric, space: &Space, tally: &Tally, of_drill: &OfDrill) -> Vec<String> {
    let mut all = Vec::new();
    let needs = |need: Need| metric.needs.contains(&need);
    if let Some(heard) = &tally.heard {
        let monitors = heard.jvm.monitors.iter().flatten().filter(|_| needs(Need::Contention));
        all.extend(monitors.cloned());
        all.extend(heard.jvm.threads.iter().filter(|_| needs(Need::Threads)).cloned());
    }
    if metric.is_of_events() {
        return all;
    }
    if needs(Need::Loads) {
        all.push(NO_CODE.to_owned());
    }
    all.extend(uncounted(space, tally, of_drill));
    let doubts = &tally.doubts;
    if doubts.skipped > 0 {
        let methods = if doubts.skipped == 1 { "1 method" } else { &format!("{} methods", doubts.skipped) };
        all.push(format!("without {methods} that --include or --exclude skips"));
    }
    // The methods of a pattern are not those of hidden classes.
    if doubts.lambdas > 0 && !space.is_named() {
        let places =
            if doubts.lambdas == 1 { "1 place makes" } else { &format!("{} places make", doubts.lambdas) };
        all.push(format!("{places} objects of hidden classes (lambdas), whose code does not count"));
    }
    if space.has_jdk() && of_drill.has_jdk {
        all.push(HIDDEN.to_owned());
    }
    if let Some((first, number)) = &doubts.left {
        let others = if *number > 1 { format!(", and {} more", number - 1) } else { String::new() };
        all.push(format!("not counted: {first}{others}"));
    }
    if needs(Need::Blocks) {
        all.extend(of_drill.all.iter().cloned());
        all.extend(doubts.of_methods.iter().map(|(doubt, methods)| {
            format!("{methods} {}: {doubt}", if *methods == 1 { "method" } else { "methods" })
        }));
    }
    if needs(Need::Sizes) && tally.unsized_objects.most > 0 {
        let number = tally.unsized_objects.most;
        let objects = if number == 1 { "1 object" } else { &format!("at most {number} objects") };
        all.push(format!(
            "the size of {objects} is not known: the class was not there when the drill ended, or the method has no room for the code that counts arrays, or \
             it counted late"
        ));
    }
    if needs(Need::Arcs) {
        let of_receivers = metric.category == "polymorphism"
            && !["calls", "callSites", "invokeDensity"].contains(&metric.name);
        if doubts.open > 0 && of_receivers {
            let places =
                if doubts.open == 1 { "1 place calls" } else { &format!("{} places call", doubts.open) };
            all.push(format!(
                "{places} methods of classes that do not count: such an object may have called the entered method, as its own receiver's"
            ));
        }
        all.extend(of_drill.arcs.iter().cloned());
    }
    all
}
