//! Text next to the graphs of a page: the bytecode and the source of a method.

use crate::sources::{Sources, Text};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::{Graph, Listed, forms, listing};
use spl_model::one_line;
use spl_profile::CountedClass;
use spl_report::drill::{Code, Counted, Instruction, Source, SourceLine};
use std::collections::BTreeMap;

/// Most instructions of a method, and of all methods of a page.
const MOST_OF_METHOD: usize = 1_500;
const MOST_LISTED: usize = 20_000;
/// Most targets of a switch.
const MOST_TARGETS: usize = 40;
/// Most lines of a method's source, and characters of a line.
const MOST_LINES: usize = 500;
const LONGEST: usize = 300;
/// Lines above and below those of a method.
const AROUND: u16 = 2;

/// Gives methods of a page their bytecode and source, the first ones most of it.
#[derive(Debug)]
pub struct Beside<'s> {
    sources: &'s mut Sources,
    /// Instructions that are left for the page.
    left: usize,
}

impl<'s> Beside<'s> {
    /// Of an empty page, which has no bytecode where no copies of class files are wanted.
    pub fn new(sources: &'s mut Sources, has_classes: bool) -> Self {
        Self { sources, left: if has_classes { MOST_LISTED } else { 0 } }
    }

    /// Gives a method of this class its bytecode and source.
    pub fn add(&mut self, class: &CountedClass, to: &mut Counted) {
        // Code that cannot be read had no counters, so there is always a graph.
        let Ok(file) = ClassFile::read(&class.bytes) else { return };
        let named = |method: &&spl_classfile::class::Method<'_>| {
            forms::name_of(file.name().unwrap_or_default(), method.name, method.descriptor) == to.name
        };
        let Some(method) = file.methods.iter().find(named) else { return };
        let Ok(graph) = Graph::of(&file, method) else { return };
        let most = MOST_OF_METHOD.min(self.left);
        if let Ok((listed, all)) = listing(&file, method, &graph, (most, MOST_TARGETS)) {
            self.left -= listed.len();
            to.code = Code { listed: listed.into_iter().map(instruction).collect(), all };
        }
        if !self.sources.is_empty() {
            to.source = Some(self.source(&file, &graph, to));
        }
    }

    fn source(&mut self, file: &ClassFile<'_>, graph: &Graph<'_>, method: &Counted) -> Source {
        let name = file.source_file.map(mutf8::decode);
        let lines = lines(graph, method);
        let (first, last) = (lines.keys().next(), lines.keys().next_back());
        let (text, last) = match (&name, first.and(last)) {
            (None, _) => (Err("the class file names no source file".to_owned()), 0),
            (_, None) => (Err("the class file has no line numbers for the method".to_owned()), 0),
            (Some(name), Some(last)) => (self.sources.find(&mutf8::decode(graph.class), name), *last),
        };
        let text = text.and_then(|text| match text.lines.len() {
            count if count < usize::from(last) => Err(format!(
                "{} has {count} lines, and the method has code of line {last}: it is not the source of this class",
                text.place
            )),
            _ => Ok(text),
        });
        match text {
            Ok(text) => shown(&text, &lines, method),
            Err(why) => Source { file: one_line(&name.unwrap_or_default()), parts: Err(why), left_out: 0 },
        }
    }
}

fn instruction(one: Listed) -> Instruction {
    let Listed { at, line, block, text, targets, more_targets } = one;
    Instruction { at, line, block, text, targets, more_targets }
}

/// The lines of a method with their blocks, those with the largest counts first.
fn lines(graph: &Graph<'_>, method: &Counted) -> BTreeMap<u16, Vec<usize>> {
    let mut lines: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        for line in block.lines.iter().filter(|line| **line > 0) {
            lines.entry(*line).or_default().push(number);
        }
    }
    let count = |block: &usize| method.blocks.get(*block).map_or(0, |block| block.count);
    for blocks in lines.values_mut() {
        blocks.sort_by_key(|block| std::cmp::Reverse(count(block)));
    }
    lines
}

/// The lines of a method with a few around, each part without gaps.
fn shown(text: &Text, lines: &BTreeMap<u16, Vec<usize>>, method: &Counted) -> Source {
    let kept = lines.keys().copied().take(MOST_LINES);
    let end = u16::try_from(text.lines.len()).unwrap_or(u16::MAX);
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for line in kept {
        let (from, to) = (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND).min(end));
        match ranges.last_mut() {
            Some((_, last)) if from <= last.saturating_add(1) => *last = to,
            _ => ranges.push((from, to)),
        }
    }
    let of = |number: u16| lines.get(&number).map_or(&[][..], Vec::as_slice);
    let count = |block: &usize| method.blocks.get(*block).map(|block| block.count);
    let one = |number: u16| SourceLine {
        number,
        text: cut(text.lines.get(usize::from(number) - 1).map_or("", |line| line)),
        count: of(number).first().and_then(count),
        blocks: of(number).to_vec(),
    };
    let part = |(from, to): (u16, u16)| (from..=to).map(one).collect();
    Source {
        file: text.place.clone(),
        parts: Ok(ranges.into_iter().map(part).collect()),
        left_out: lines.len().saturating_sub(MOST_LINES),
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
