//! Proposals for a pattern of several methods that matches none.

use crate::{Catalogue, Known};
use spl_lang::ast::MethodPattern;
use std::collections::BTreeSet;

/// Most classes whose methods are looked at for a proposal.
const MAX_CLASSES: usize = 500;
/// Most proposals.
const MAX_NAMED: usize = 3;

/// A finding about a pattern: what is not there, a label for its place, and perhaps a help.
pub(crate) struct Nothing {
    pub(crate) message: &'static str,
    pub(crate) label: &'static str,
    pub(crate) help: Option<String>,
}

/// The reason why a pattern with `*` or an annotation means no method.
pub(crate) fn of_pattern(pattern: &MethodPattern, catalogue: &mut Catalogue) -> Nothing {
    let classes = catalogue.classes_meant(pattern);
    if classes.is_empty() {
        return no_class(pattern, catalogue);
    }
    let looked: Vec<Known> =
        classes.iter().take(MAX_CLASSES).flat_map(|class| catalogue.methods(class)).collect();
    if let Some(annotation) = &pattern.annotation {
        let help = annotations(annotation, &looked);
        return Nothing {
            message: "no method has this annotation",
            label: "at no method of these classes",
            help,
        };
    }
    let names: BTreeSet<&str> = looked.iter().map(|known| known.method.name()).collect();
    let near = nearest(&pattern.name.replace('*', ""), names.into_iter());
    let help = match looked.iter().filter(|known| pattern.matches(&known.method)).count() {
        0 => did_you_mean(near.iter().map(|name| format!("{}#{name}", pattern.class))),
        count => Some(format!("{count} methods are called so, and none of them has a body")),
    };
    Nothing { message: "no such method", label: "no class of this name has it", help }
}

fn no_class(pattern: &MethodPattern, catalogue: &Catalogue) -> Nothing {
    let parts: Vec<&str> = pattern.class.split('.').collect();
    let literal = parts.iter().take_while(|part| !part.contains('*')).count();
    let (package, rest) = (parts[..literal].join("/"), parts[literal..].join("."));
    let help = if package.is_empty() || catalogue.has_package(&package) {
        Some("classes of the JDK are meant only with their package, as in `java.util.**#get`".to_owned())
            .filter(|_| pattern.is_of_any_package())
    } else {
        let near = catalogue.nearest_packages(&package).into_iter();
        did_you_mean(near.map(|near| format!("{}.{rest}#{}", near.replace('/', "."), pattern.name)))
    };
    Nothing { message: "no such class", label: "no class of the program is called so", help }
}

/// The annotations that methods have, those of near names first.
fn annotations(wanted: &str, looked: &[Known]) -> Option<String> {
    let dotted = |descriptor: &String| descriptor.trim_matches(['L', ';']).replace(['/', '$'], ".");
    let all: BTreeSet<String> = looked.iter().flat_map(|known| &known.annotations).map(dotted).collect();
    let simple = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let near: Vec<&String> = {
        let names: BTreeSet<String> = all.iter().map(|name| simple(name)).collect();
        let near = nearest(&simple(wanted), names.iter().map(String::as_str));
        all.iter().filter(|name| near.contains(&simple(name).as_str())).collect()
    };
    if all.is_empty() {
        return Some(
            "annotations count whose retention is CLASS or RUNTIME, at a method or its class; none is here"
                .to_owned(),
        );
    }
    let shown = if near.is_empty() { all.iter().collect() } else { near };
    let shown: Vec<String> = shown.iter().take(MAX_NAMED).map(|name| format!("`@{name}`")).collect();
    Some(format!("annotations of methods here are {}", shown.join(", ")))
}

/// Names few edits away, the nearest first.
fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let most = (wanted.chars().count() / 3).max(1);
    let distance = |name: &'n str| (strsim::damerau_levenshtein(name, wanted), name);
    let mut near: Vec<_> = names.map(distance).filter(|(distance, _)| *distance <= most).collect();
    near.sort_unstable();
    near.into_iter().take(MAX_NAMED).map(|(_, name)| name).collect()
}

fn did_you_mean(proposals: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = proposals.map(|one| format!("`{one}`")).collect();
    (!all.is_empty()).then(|| format!("did you mean {}?", all.join(" or ")))
}
