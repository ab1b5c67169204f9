//! Calls whose receiver chooses the method, place by place: the classes of receivers, and the methods that they led to.

use crate::callees::Callees;
use crate::methods::Ran;
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Slot, Stack, Tag};
use spl_graph::{CallKind, SegmentEnd};
use std::collections::{BTreeMap, HashMap};

/// The calls at a place in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// All calls.
    pub executions: u64,
    /// Calls that entered a traced method, by the place of the method.
    pub targets: BTreeMap<u32, u64>,
    /// Entered methods whose receiver is known, by the number of its class.
    pub receivers: BTreeMap<u32, u64>,
    /// Entered methods whose receiver is not known.
    pub unknown: u64,
    /// Entered methods whose receiver was of another class than the one before in the same thread, as far as both are known.
    pub changes: u64,
}

/// The calls of all places.
#[derive(Debug)]
pub struct Dispatch<'c> {
    callees: &'c Callees,
    places: HashMap<(u32, u32), Chosen>,
    /// The last receiver of each place, in one thread.
    last: HashMap<(u32, u32), u32>,
    /// The receiver of the activation that begins next.
    receiver: Option<u32>,
    /// For each activation its method, and the call that it makes as long as that has entered nothing.
    open: Vec<(u32, Option<u32>)>,
    free: Vec<Tag>,
}

impl<'c> Dispatch<'c> {
    /// Looks at the calls of these methods.
    #[must_use]
    pub fn new(callees: &'c Callees) -> Self {
        let (places, last) = (HashMap::new(), HashMap::new());
        Self { callees, places, last, receiver: None, open: Vec::new(), free: Vec::new() }
    }

    /// The calls of each place: that of the method, and the offset.
    pub fn all(&self) -> impl Iterator<Item = ((u32, u32), &Chosen)> {
        self.places.iter().map(|(at, chosen)| (*at, chosen))
    }

    /// Another thread follows, or words are missing.
    pub fn cut(&mut self) {
        self.last.clear();
        self.receiver = None;
        self.open.iter_mut().for_each(|(_, call)| *call = None);
    }

    /// A call has entered a method.
    fn entered(&mut self, at: (u32, u32), method: u32, receiver: Option<u32>) {
        let chosen = self.places.entry(at).or_default();
        *chosen.targets.entry(method).or_default() += 1;
        let last = match receiver {
            Some(class) => {
                *chosen.receivers.entry(class).or_default() += 1;
                self.last.insert(at, class)
            }
            None => {
                chosen.unknown += 1;
                self.last.remove(&at);
                None
            }
        };
        chosen.changes += u64::from(last.is_some() && last != receiver);
    }
}

impl Visit for Dispatch<'_> {
    fn receiver(&mut self, class: u32) {
        self.receiver = Some(class);
    }

    fn enter(&mut self, _: &Stack, caller: Option<Tag>, method: u32) -> Tag {
        let receiver = self.receiver.take();
        if let Some((caller, call)) = caller.and_then(|caller| self.open.get_mut(caller as usize))
            && let Some(at) = *call
            && let Some(callee) = self.callees.at(*caller, at)
            && self.callees.may_enter(callee, method)
        {
            *call = None;
            let at = (*caller, at);
            self.entered(at, method, receiver);
        }
        let tag = self.free.pop().unwrap_or_else(|| {
            self.open.push((0, None));
            (self.open.len() - 1) as Tag
        });
        self.open[tag as usize] = (method, None);
        tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, method: u32, ran: &Ran) {
        self.open[tag as usize].1 = None;
        if let SegmentEnd::Call(at) = ran.end
            && let Some(callee) = self.callees.at(method, at)
            && matches!(callee.kind, CallKind::Virtual | CallKind::Interface)
        {
            self.places.entry((method, at)).or_default().executions += 1;
            self.open[tag as usize].1 = Some(at);
        }
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, _: Left) {
        self.free.push(frame.tag);
    }

    fn nameless(&mut self, stack: &Stack, _: u32) {
        // This method may be the callee.
        if let Some(Slot::Known(caller)) = stack.slots().last() {
            self.open[caller.tag as usize].1 = None;
        }
    }

    fn gap(&mut self, _: Option<u64>) {
        self.cut();
    }
}

impl Merge for Dispatch<'_> {
    fn merge(&mut self, other: Self) {
        for (at, chosen) in other.places {
            let mine = self.places.entry(at).or_default();
            mine.executions += chosen.executions;
            mine.unknown += chosen.unknown;
            mine.changes += chosen.changes;
            chosen
                .targets
                .into_iter()
                .for_each(|(method, count)| *mine.targets.entry(method).or_default() += count);
            chosen
                .receivers
                .into_iter()
                .for_each(|(class, count)| *mine.receivers.entry(class).or_default() += count);
        }
    }
}
