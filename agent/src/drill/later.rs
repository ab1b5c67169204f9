//! Classes that wait for the agent thread: their loaders are not the JDK's, so they count some time after they were loaded.

use spl_wire::Drilled;
use std::collections::HashMap;

/// Names that are kept at most. Of more classes only the last one has a message.
const MOST_NAMES: usize = 4096;
/// Why a class that was never looked at did not count.
const WHY: &str =
    "its loader is not the JDK's, and it or the program had ended before the class could be changed";

/// Classes that were loaded, by name, and how many of each name.
#[derive(Debug, Default)]
pub struct Later {
    waiting: HashMap<String, u32>,
    /// One of the classes beyond these.
    beyond: Option<String>,
}

impl Later {
    /// A class is being loaded.
    pub fn comes(&mut self, class: &str) {
        if let Some(number) = self.waiting.get_mut(class) {
            *number = number.saturating_add(1);
        } else if self.waiting.len() < MOST_NAMES {
            self.waiting.insert(class.to_owned(), 1);
        } else {
            self.beyond = Some(class.to_owned());
        }
    }

    /// A class of this name is being changed, or the agent thread says why not.
    pub fn is_reached(&mut self, class: &str) {
        if let Some(number) = self.waiting.get_mut(class) {
            *number -= 1;
            if *number == 0 {
                self.waiting.remove(class);
            }
        }
    }

    /// A message for each class that still waits.
    pub fn unreached(&self) -> Vec<Drilled> {
        let mut names: Vec<&String> = self.waiting.keys().chain(&self.beyond).collect();
        names.sort_unstable();
        names.into_iter().map(|name| Drilled::Left { name: name.clone(), why: WHY.to_owned() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(later: &Later) -> Vec<String> {
        let name = |message| {
            let Drilled::Left { name, .. } = message else { panic!("{message:?}") };
            name
        };
        later.unreached().into_iter().map(name).collect()
    }

    #[test]
    fn each_class_of_a_name_is_waited_for() {
        let mut later = Later::default();
        ["p/A", "p/A", "p/B"].into_iter().for_each(|class| later.comes(class));
        ["p/B", "p/A", "p/C"].into_iter().for_each(|class| later.is_reached(class));
        assert_eq!(names(&later), ["p/A"]);
        later.is_reached("p/A");
        assert_eq!(names(&later), [""; 0]);
    }

    #[test]
    fn names_are_bounded() {
        let mut later = Later::default();
        (0..2 * MOST_NAMES).for_each(|number| later.comes(&number.to_string()));
        assert_eq!(names(&later).len(), MOST_NAMES + 1);
    }
}
