//! Claims with a set of methods: each method of the set is judged for itself, by a claim of its own.

use super::Checker;
use super::chosen::Chosen;
use crate::ast::{MethodPattern, Relation, Side, Target};
use crate::problem::Problem;
use crate::{Severity, Span, tasks};

impl Checker<'_, '_, '_> {
    /// The methods for which a claim with these comparisons is judged: one for each method of its set, `None` once where it has
    /// no set. Nothing after an error, which has been noted.
    pub(super) fn chosen(&mut self, relations: &[&Relation], span: Span) -> Vec<Option<Chosen>> {
        let sides = relations.iter().flat_map(|relation| [&relation.left.value, &relation.right.value]);
        let targets: Vec<&Target> = sides
            .filter_map(|side| match side {
                Side::Times(times) => Some(&times.target),
                Side::Bound(_) => None,
            })
            .collect();
        let (sets, others): (Vec<&Target>, Vec<&Target>) =
            targets.into_iter().partition(|target| self.methods.set(target).is_some());
        let patterns: Vec<MethodPattern> =
            sets.iter().filter_map(|target| self.methods.set(target)).collect();
        let Some(first) = patterns.first() else { return vec![None] };
        if patterns.iter().any(|pattern| pattern != first) {
            // Two sets were refused with the file's names.
            return Vec::new();
        }
        let mut members = Vec::new();
        for target in sets {
            members = self.methods.all(target);
        }
        let known: Vec<usize> = others.into_iter().filter_map(|target| self.methods.one(target)).collect();
        let found = members.len();
        // A method is not compared with itself.
        members.retain(|member| !known.contains(member));
        if members.is_empty() && found > 0 {
            let problem = Problem::new(self.methods.slice(span), "the set has no other method")
                .label("it means only the method that it is compared with")
                .help("name more methods by the pattern, or compare with another method");
            self.errors.push(problem.at(self.source, Severity::Error));
        }
        let of = members.len();
        let chosen = |(index, method): (usize, usize)| {
            let name = self.methods.found.get(method).map(|one| written(&one.method)).unwrap_or_default();
            Some(Chosen { method, member: tasks::Member { number: index + 1, of, method: name } })
        };
        members.into_iter().enumerate().map(chosen).collect()
    }
}

/// The method as Java names it, where that is possible.
fn written(method: &spl_model::MethodRef) -> String {
    MethodPattern::of(method)
        .map_or_else(|| method.to_string(), |java| MethodPattern { result: None, ..java }.to_string())
}
