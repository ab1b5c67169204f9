//! Assertions with their results.

use crate::facts::{Facts, shown_assertions};
use crate::words::Badge;
use spl_records::AssertionRecord;
use spl_records::context::{Asserting, Relating};
use spl_verdict::{NotEvaluated, Part, Truth};
use std::collections::{BTreeMap, BTreeSet};

/// Most comparisons of one assertion with charts.
const CHARTS: usize = 3;

/// An assertion with its result.
pub struct Shown<'a> {
    pub number: usize,
    pub asserting: &'a Asserting,
    pub record: Option<&'a AssertionRecord>,
    /// Whether it has charts.
    in_full: bool,
}

impl<'a> Shown<'a> {
    /// All assertions of a run, in the order of the task file.
    pub fn all(facts: &'a Facts) -> Vec<Self> {
        let in_full: BTreeSet<usize> =
            shown_assertions(&facts.context, &facts.assertions).into_iter().collect();
        let mut records = BTreeMap::new();
        for record in &facts.assertions {
            records.entry(record.asserted.assertion).or_insert(record);
        }
        let shown = |(index, asserting)| Self {
            number: index + 1,
            asserting,
            record: records.get(&index).copied(),
            in_full: in_full.contains(&index),
        };
        facts.context.assertions.iter().enumerate().map(shown).collect()
    }

    /// Its verdict.
    pub fn badge(&self) -> Badge {
        let Some(asserted) = self.record.map(|record| &record.asserted) else { return Badge::NotEvaluated };
        match asserted.basis {
            Some(basis) => Badge::of_basis(basis),
            None if asserted.parts.iter().all(|part| part.judged.is_err()) => Badge::NotEvaluated,
            None => Badge::of_truth(asserted.truth),
        }
    }

    /// Data that are missing for a decision by windows.
    pub fn open(&self) -> Option<&'a NotEvaluated> {
        let mut gaps = self.record.into_iter().flat_map(|record| &record.asserted.gaps);
        gaps.rfind(|gap| matches!(gap, NotEvaluated::Open { .. }))
    }

    pub fn relation(&self, part: &Part) -> Option<&'a Relating> {
        self.asserting.relations.get(part.relation)
    }

    /// The comparisons with charts: false ones first, then undecided ones.
    pub fn charted(&self) -> Vec<&'a Part> {
        let Some(record) = self.record.filter(|_| self.in_full) else { return Vec::new() };
        let mut parts: Vec<(u8, &Part)> = Vec::new();
        for part in &record.asserted.parts {
            if let Ok(judged) = &part.judged {
                let rank = match judged.evidence.truth(record.asserted.level) {
                    Truth::False => 0,
                    Truth::Undecided => 1,
                    Truth::True => 2,
                };
                parts.push((rank, part));
            }
        }
        parts.sort_by_key(|(rank, _)| *rank);
        parts.into_iter().take(CHARTS).map(|(_, part)| part).collect()
    }
}
