//! The compiled form of a specification: one mask of fields for each event.

use super::events::{EVENTS, Event, Field};
use std::fmt;

/// The places of the common fields in a mask.
const RECORDED: usize = 0;
const COUNTED: usize = 1;

/// Which fields of which events are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interest {
    /// A bit for each field, by the number of the event.
    masks: Vec<u32>,
}

impl Default for Interest {
    fn default() -> Self {
        Self { masks: vec![0; EVENTS.len()] }
    }
}

impl Interest {
    /// Wants the field of an event with these numbers, or no longer.
    pub fn set(&mut self, event: usize, field: usize, is_wanted: bool) {
        if let Some(mask) = self.masks.get_mut(event) {
            *mask = if is_wanted { *mask | 1 << field } else { *mask & !(1 << field) };
        }
    }

    /// Whether the field of an event is wanted.
    #[must_use]
    pub fn has(&self, event: usize, field: usize) -> bool {
        self.masks.get(event).is_some_and(|mask| mask & 1 << field != 0)
    }

    /// Whether an event is written in its order.
    #[must_use]
    pub fn is_recorded(&self, event: usize) -> bool {
        self.has(event, RECORDED)
    }

    /// Whether an event is counted.
    #[must_use]
    pub fn is_counted(&self, event: usize) -> bool {
        self.has(event, COUNTED)
    }

    /// The events that are recorded or counted, by their numbers.
    pub fn events(&self) -> impl Iterator<Item = (usize, &'static Event)> + '_ {
        EVENTS.iter().enumerate().filter(|(event, _)| self.is_recorded(*event) || self.is_counted(*event))
    }

    /// The wanted fields of an event, without `recorded` and `counted`.
    pub fn fields(&self, number: usize) -> impl Iterator<Item = &'static Field> + '_ {
        let all = EVENTS.get(number).into_iter().flat_map(Event::all_fields);
        all.enumerate()
            .skip(COUNTED + 1)
            .filter(move |(field, _)| self.has(number, *field))
            .map(|(_, one)| one)
    }

    /// Whether nothing is recorded or counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events().next().is_none()
    }

    /// Wants an event with fields, recorded or counted.
    pub(super) fn want(&mut self, name: &str, is_recorded: bool, fields: &[&str]) {
        let Some(number) = Event::number(name) else { return };
        self.set(number, if is_recorded { RECORDED } else { COUNTED }, true);
        for (field, one) in EVENTS[number].all_fields().enumerate() {
            if fields.contains(&one.name) {
                self.set(number, field, true);
            }
        }
    }

    /// Whether all that another one wants is wanted here, too.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.masks.iter().zip(&self.masks).all(|(wanted, has)| wanted & !has == 0)
    }
}

/// As a specification that names each event and each wanted field, which means the same.
impl fmt::Display for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, event) in self.events() {
            writeln!(f, "event {} {{", event.name)?;
            for (_, field) in event.all_fields().enumerate().filter(|(field, _)| self.has(number, *field)) {
                writeln!(f, "    {}: yes;", field.name)?;
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}
