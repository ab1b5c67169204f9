//! All pages with their names.

use super::facts::{Site, StoredRun};
use super::program::MOST_COLUMNS;
use super::{difference, frame, index, program, run};
use std::collections::{BTreeMap, BTreeSet};

/// Differences to the run before that have a page without being asked for, those of the newest runs.
pub(super) const MOST_DIFFERENCES: usize = 25;

/// The pages by their names; `index.html` is the last, so that it leads to pages that are there.
///
/// # Errors
/// When a difference is asked for of a run that is not among them; its number.
pub fn pages(site: &Site) -> Result<Vec<(String, String)>, i64> {
    let plan = Plan::of(site);
    let mut pairs: BTreeSet<(i64, i64)> =
        plan.before.iter().map(|(later, earlier)| (*earlier, *later)).collect();
    pairs.extend(&site.compare);
    let mut all: Vec<Page<'_>> = site.runs.iter().map(Page::Run).collect();
    for (earlier, later) in pairs {
        all.push(Page::Difference(plan.run(earlier).ok_or(earlier)?, plan.run(later).ok_or(later)?));
    }
    all.extend(plan.programs.iter().map(|runs| Page::Program(runs)));
    all.extend([Page::Metrics, Page::Index]);
    Ok(all.into_iter().map(|page| (page.name(), plan.text(&page))).collect())
}

/// The runs of which a page needs everything; it needs the lines of the others. `None`: there is no such page.
#[must_use]
pub fn needed(site: &Site, name: &str) -> Option<BTreeSet<i64>> {
    let plan = Plan::of(site);
    let repeats =
        |of: &StoredRun| site.runs.iter().filter(|run| of.is_repeat(run)).map(|run| run.id).collect();
    Some(match plan.page(name)? {
        Page::Index | Page::Metrics => BTreeSet::new(),
        Page::Run(run) => BTreeSet::from([run.id]),
        Page::Program(runs) => runs.iter().take(MOST_COLUMNS).map(|run| run.id).collect(),
        Page::Difference(earlier, later) => {
            let (one, other): (BTreeSet<i64>, BTreeSet<i64>) = (repeats(earlier), repeats(later));
            &one | &other
        }
    })
}

/// A page by its name: the difference of any two runs is one. `None`: there is no such page.
#[must_use]
pub fn page(site: &Site, name: &str) -> Option<String> {
    let plan = Plan::of(site);
    plan.page(name).map(|page| plan.text(&page))
}

/// A page that can be made.
enum Page<'a> {
    Index,
    Metrics,
    Run(&'a StoredRun),
    /// Runs of a program, the newest first.
    Program(&'a [&'a StoredRun]),
    /// The earlier run, and the later.
    Difference(&'a StoredRun, &'a StoredRun),
}

impl Page<'_> {
    fn name(&self) -> String {
        match self {
            Self::Index => "index.html".to_owned(),
            Self::Metrics => "metrics.html".to_owned(),
            Self::Run(run) => format!("run-{}.html", run.id),
            Self::Program(runs) => frame::of_program(runs),
            Self::Difference(earlier, later) => frame::difference(earlier, later),
        }
    }
}

/// Runs by programs.
struct Plan<'a> {
    site: &'a Site,
    /// The runs of each program, the newest first.
    programs: Vec<Vec<&'a StoredRun>>,
    /// The run before each, of the newest runs.
    before: BTreeMap<i64, i64>,
}

impl<'a> Plan<'a> {
    fn of(site: &'a Site) -> Self {
        let mut programs: Vec<Vec<&StoredRun>> = Vec::new();
        for run in &site.runs {
            let same = |runs: &&mut Vec<&StoredRun>| {
                runs.first().is_some_and(|one| one.command == run.command && one.kind == run.kind)
            };
            match programs.iter_mut().find(same) {
                Some(runs) => runs.push(run),
                None => programs.push(vec![run]),
            }
        }
        let before: BTreeMap<i64, i64> =
            programs.iter().flat_map(|runs| runs.windows(2).map(|pair| (pair[0].id, pair[1].id))).collect();
        let newest = site.runs.iter().filter_map(|run| Some((run.id, *before.get(&run.id)?)));
        // A served difference is made when it is asked for.
        let most = if site.is_served { usize::MAX } else { MOST_DIFFERENCES };
        let before = newest.take(most).collect();
        Self { site, programs, before }
    }

    fn run(&self, id: i64) -> Option<&'a StoredRun> {
        self.site.runs.iter().find(|run| run.id == id)
    }

    fn page(&self, name: &str) -> Option<Page<'_>> {
        if !is_name(name) {
            return None;
        }
        let stem = name.strip_suffix(".html")?;
        let number = |text: &str| text.parse::<i64>().ok();
        match stem.split('-').collect::<Vec<_>>()[..] {
            ["index"] => Some(Page::Index),
            ["metrics"] => Some(Page::Metrics),
            ["run", id] => self.run(number(id)?).map(Page::Run),
            ["program", id] => {
                let id = number(id)?;
                let runs = self.programs.iter().find(|runs| runs.iter().any(|run| run.id == id));
                runs.map(|runs| Page::Program(runs))
            }
            ["difference", earlier, later] => {
                Some(Page::Difference(self.run(number(earlier)?)?, self.run(number(later)?)?))
            }
            _ => None,
        }
    }

    fn text(&self, page: &Page<'_>) -> String {
        let site = self.site;
        match page {
            Page::Index => index::index(site, &self.programs),
            Page::Metrics => index::definitions(site),
            Page::Run(one) => {
                let earlier = self.before.get(&one.id).and_then(|id| self.run(*id));
                run::run(site, one, earlier)
            }
            Page::Program(runs) => program::program(site, runs, &self.before),
            Page::Difference(earlier, later) => difference::page_of(site, earlier, later),
        }
    }
}

/// Whether a file of an export is one of its pages, by its name and by the marks of its maker. Other files may have such a name, and
/// other pages of this program the same generator.
#[must_use]
pub fn is_page(name: &str, text: &str) -> bool {
    is_name(name) && frame::MARKS.iter().all(|mark| text.contains(mark))
}

fn is_name(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".html") else { return false };
    let numbered = ["run-", "program-", "difference-"].iter().find_map(|prefix| stem.strip_prefix(prefix));
    matches!(stem, "index" | "metrics")
        || numbered.is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|one| one.is_ascii_digit() || one == b'-')
        })
}
