//! The calls and results that go on when the tasks of a running measurement change.
//!
//! Methods that claims connect share windows, and windows of other methods do not tell how these compare. So a group
//! of connected methods goes on with its calls only where all its claims stay as they were. A group in which a claim
//! was added or removed starts again. See `docs/decisions/0031-live-change.md`.

use crate::output::ResultFile;
use crate::results::Results;
use crate::resume::RUN_FILE;
use crate::setup::Setup;
use spl_model::ClaimIx;
use spl_records::{RunState, measurement_files};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// Parts of the old tasks that the new ones have too, by their old and new numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The methods of groups that go on.
    pub methods: Vec<(usize, usize)>,
    /// The claims of these groups.
    pub claims: Vec<(ClaimIx, ClaimIx)>,
}

/// Differences of two task files, as texts for the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Claims and methods of the new tasks alone.
    pub added: Vec<String>,
    /// Claims and methods of the old tasks alone.
    pub removed: Vec<String>,
    /// Claims of both that start again, because claims of their methods were added or removed.
    pub again: Vec<String>,
}

impl Differences {
    /// Whether claims and methods are the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// A claim or a method without a claim, by what makes it the same claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// The text for the operator.
    text: String,
    /// Its methods with their size processors, and its meaning.
    meaning: String,
}

/// Connected methods with their claims.
struct Group {
    methods: Vec<usize>,
    claims: Vec<(Key, Option<ClaimIx>)>,
}

/// Finds what goes on.
pub fn compare(old: &Setup, new: &Setup) -> (Kept, Differences) {
    let (mut kept, mut differences) = (Kept::default(), Differences::default());
    let (old_groups, new_groups) = (groups(old), groups(new));
    let keys = |group: &Group| {
        let mut keys = group.claims.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        keys.sort();
        keys
    };
    let mut by_keys: BTreeMap<Vec<Key>, Vec<&Group>> = BTreeMap::new();
    old_groups.iter().rev().for_each(|group| by_keys.entry(keys(group)).or_default().push(group));
    let mut changed: Vec<&Group> = Vec::new();
    for group in &new_groups {
        match by_keys.get_mut(&keys(group)).and_then(Vec::pop) {
            Some(before) => kept.take(before, group, [old, new]),
            None => changed.push(group),
        }
    }
    let mut gone: BTreeMap<Key, usize> = BTreeMap::new();
    for (key, _) in by_keys.into_values().flatten().flat_map(|group| &group.claims) {
        *gone.entry(key.clone()).or_default() += 1;
    }
    for (key, _) in changed.into_iter().flat_map(|group| &group.claims) {
        match gone.get_mut(key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                differences.again.push(key.text.clone());
            }
            None => differences.added.push(key.text.clone()),
        }
    }
    let left = gone.into_iter().flat_map(|(key, count)| std::iter::repeat_n(key.text, count));
    differences.removed.extend(left);
    (kept, differences)
}

impl Kept {
    /// Adds a group that both have.
    fn take(&mut self, before: &Group, after: &Group, [old, new]: [&Setup; 2]) {
        let named = |setup: &Setup, methods: &[usize]| {
            let name = |&method: &usize| (setup.program.tasks.methods[method].method.clone(), method);
            methods.iter().map(name).collect::<BTreeMap<_, _>>()
        };
        let (before_of, after_of) = (named(old, &before.methods), named(new, &after.methods));
        let pairs = before_of.iter().filter_map(|(method, one)| Some((*one, *after_of.get(method)?)));
        self.methods.extend(pairs);
        let mut left = before.claims.clone();
        for (key, claim) in &after.claims {
            let Some(at) = left.iter().position(|(one, _)| one == key) else { continue };
            if let ((_, Some(before)), Some(claim)) = (left.remove(at), claim) {
                self.claims.push((before, *claim));
            }
        }
    }
}

/// The groups of connected methods, by their first methods. A method without a claim is a group of its own, with its
/// name in place of a claim.
fn groups(setup: &Setup) -> Vec<Group> {
    let tasks = &setup.program.tasks;
    let mut group_of: Vec<usize> = (0..tasks.methods.len()).collect();
    let claims = claims(setup);
    for (_, _, methods) in &claims {
        let members = methods.iter().filter_map(|&method| group_of.get(method).copied()).collect::<Vec<_>>();
        let Some(&first) = members.iter().min() else { continue };
        group_of.iter_mut().filter(|group| members.contains(group)).for_each(|group| *group = first);
    }
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (method, &group) in group_of.iter().enumerate() {
        let group = groups.entry(group).or_insert_with(|| Group { methods: Vec::new(), claims: Vec::new() });
        group.methods.push(method);
    }
    for (key, claim, methods) in claims {
        let group = methods.first().and_then(|&method| groups.get_mut(group_of.get(method)?));
        group.into_iter().for_each(|group| group.claims.push((key.clone(), Some(claim))));
    }
    for group in groups.values_mut().filter(|group| group.claims.is_empty()) {
        let task = &tasks.methods[group.methods[0]];
        group.claims.push((Key { text: task.method.to_string(), meaning: task.to_string() }, None));
    }
    groups.into_values().collect()
}

/// Each claim with its number and its methods.
fn claims(setup: &Setup) -> Vec<(Key, ClaimIx, Vec<usize>)> {
    let (program, numbers) = (&setup.program, setup.program.claim_numbers());
    let names = |methods: &[usize]| {
        let names = methods.iter().filter_map(|&method| program.tasks.methods.get(method));
        names.map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let comparisons = program.tasks.comparisons.iter().enumerate().map(|(index, one)| {
        let line = program.tasks.line_of(one);
        (Key { text: line.clone(), meaning: line }, numbers.comparison(index), vec![one.left, one.right])
    });
    let assertions = program.assertions.iter().enumerate().map(|(index, one)| {
        let (text, methods) = (setup.quote(one.span).trim().to_owned(), one.methods());
        let meaning = format!("{}\n{text}\n{:?}\n{}", one.title, one.level, names(&methods));
        (Key { text, meaning }, numbers.assertion(index), methods)
    });
    comparisons.chain(assertions).collect()
}

/// Makes the folder of the new setup a run that goes on with these parts: the calls of the methods that go on, and the
/// `results` of the claims that go on. The files of the old run stay as they are, and must be complete.
///
/// # Errors
/// When a file cannot be read or written; one line of text.
pub fn carry_over(old: &Setup, new: &Setup, kept: &Kept, results: &Results) -> Result<(), String> {
    let folder = new.config.result_file.parent().unwrap_or(Path::new(""));
    let failed = |path: &Path, error: &io::Error| format!("cannot write {}: {error}", path.display());
    for folder in [folder, &new.config.output_dir] {
        if !folder.as_os_str().is_empty() {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
    }
    let (old_files, new_files) = (measurement_files(&old.methods()), measurement_files(&new.methods()));
    for &(before, after) in &kept.methods {
        let from = old.config.output_dir.join(&old_files[before]);
        let to = new.config.output_dir.join(&new_files[after]);
        match fs::copy(&from, &to) {
            Ok(_) => {}
            // No call of the method was measured yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&to, &error)),
        }
    }
    let (mut files, mut decided) =
        (ResultFile::open(&new.config, &new.config.result_file, true)?, Vec::new());
    let (before, after) = (old.program.claim_numbers(), new.program.claim_numbers());
    for &(old_claim, new_claim) in &kept.claims {
        for one in results.evaluations.iter().filter(|one| before.comparison(one.comparison) == old_claim) {
            let mut one = one.clone();
            one.comparison = new_claim.0;
            files.result(&new.program.tasks, &one)?;
            decided.push(new_claim);
        }
        for one in results.assertions.iter().filter(|one| before.assertion(one.assertion) == old_claim) {
            let mut one = one.clone();
            one.assertion = new_claim.0 - after.assertion(0).0;
            files.assertion(new, &one)?;
            decided.push(new_claim);
        }
    }
    let state = RunState { tasks: new.tasks_hash, methods: Vec::new(), decided, finished: false };
    let path = folder.join(RUN_FILE);
    fs::write(&path, state.to_json()).map_err(|error| failed(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use spl_lang::{RunMode, parse_file};

    fn setup(text: &str, mode: RunMode) -> Setup {
        let program = parse_file(text, mode).unwrap().check(text, &mut |_| Vec::new()).unwrap();
        let mut config = Config::default();
        config.scheduler.mode = mode;
        config.scheduler.paired = (mode == RunMode::Comparison).then(|| config.turns());
        Setup::new(config, Vec::new(), (program, text.to_owned())).unwrap()
    }

    const AB: &str = "a/C.a()V < a/C.b()V";
    const CD: &str = "a/C.c()V < a/C.d()V";
    const E: &str = "assert \"e is quick\": p99(a/C.e()V) <= 5 ms";

    /// Numbers of the methods and of the claims that go on, and the texts added, removed and started again.
    fn check(
        old: &[&str],
        new: &[&str],
        kept: &[(usize, usize)],
        claims: &[(usize, usize)],
        texts: [&[&str]; 3],
    ) {
        let of = |lines: &[&str]| setup(&(lines.join("\n") + "\n"), RunMode::Comparison);
        let (mut found, differences) = compare(&of(old), &of(new));
        found.methods.sort_unstable();
        found.claims.sort_unstable();
        assert_eq!(found.methods, kept, "{old:?} {new:?}");
        let numbers = found.claims.iter().map(|(old, new)| (old.0, new.0)).collect::<Vec<_>>();
        assert_eq!(numbers, claims, "{old:?} {new:?}");
        assert_eq!([&differences.added, &differences.removed, &differences.again], texts, "{old:?} {new:?}");
        assert_eq!(differences.is_empty(), texts[0].is_empty() && texts[1].is_empty());
    }

    #[test]
    fn groups_go_on_where_their_claims_stay() {
        check(
            &[AB, E],
            &["# a comment", AB, E],
            &[(0, 0), (1, 1), (2, 2)],
            &[(0, 0), (1, 1)],
            [&[], &[], &[]],
        );
        check(&[AB], &[CD, AB, E], &[(0, 2), (1, 3)], &[(0, 1)], [&[CD, E], &[], &[]]);
        check(&[AB, CD, E], &[E, CD], &[(2, 1), (3, 2), (4, 0)], &[(1, 0), (2, 1)], [&[], &[AB], &[]]);
    }

    #[test]
    fn a_claim_that_joins_a_group_makes_it_start_again() {
        let bc = "a/C.b()V < a/C.c()V";
        check(&[AB, CD, E], &[AB, CD, E, bc], &[(4, 4)], &[(2, 3)], [&[bc], &[], &[AB, CD]]);
        check(&[AB, bc], &[AB], &[], &[], [&[], &[bc], &[AB]]);
        // The same claim once more is a claim of its own.
        check(&[AB], &[AB, AB], &[], &[], [&[AB], &[], &[AB]]);
    }

    #[test]
    fn a_claim_with_another_bound_level_title_or_sign_is_another_claim() {
        for other in [
            "assert \"e is quick\": p99(a/C.e()V) <= 6 ms",
            "assert \"e is quick\": p98(a/C.e()V) <= 5 ms",
            "assert \"e is fast\": p99(a/C.e()V) <= 5 ms",
            "assert \"e is quick\": p99(a/C.e(I)V) <= 5 ms",
        ] {
            check(&[E], &[other], &[], &[], [&[other], &[E], &[]]);
        }
        check(&[AB], &["a/C.a()V <= a/C.b()V"], &[], &[], [&["a/C.a()V <= a/C.b()V"], &[AB], &[]]);
    }

    #[test]
    fn methods_alone_go_on_by_their_names() {
        let of = |lines: &str| setup(lines, RunMode::Measurement);
        let (kept, differences) = compare(&of("a/C.a()V\na/C.b()V\n"), &of("a/C.c()V\na/C.b()V\n"));
        assert_eq!((kept.methods, kept.claims), (vec![(1, 1)], vec![]));
        assert_eq!(
            (&*differences.added, &*differences.removed),
            (&["a/C.c()V".into()][..], &["a/C.a()V".into()][..])
        );
    }
}
