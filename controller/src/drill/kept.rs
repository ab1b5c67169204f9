//! Counts of blocks that are kept until the causes are known: then some of these methods are drawn.

use spl_profile::{CountedClass, CountedMethod, MethodProfile, profile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The counted methods of one root, or of all callers together, by name.
#[derive(Debug, Default)]
pub struct Kept(BTreeMap<String, Method>);

/// A method with the values of its counters.
#[derive(Debug)]
struct Method {
    class: Arc<Class>,
    method: CountedMethod,
    /// The first one is the number of calls.
    values: Vec<u64>,
}

/// Classes that are kept, each class file once.
#[derive(Debug, Default)]
pub struct Classes(BTreeMap<String, Vec<Arc<Class>>>);

/// A class, without the counters of one round.
#[derive(Debug)]
struct Class {
    name: String,
    bytes: Vec<u8>,
    from_start: bool,
}

impl Classes {
    fn of(&mut self, class: &CountedClass) -> Arc<Class> {
        let known = self.0.entry(class.name.clone()).or_default();
        if let Some(same) = known.iter().find(|one| one.bytes == class.bytes) {
            return Arc::clone(same);
        }
        let CountedClass { name, bytes, from_start, .. } = class;
        let made = Arc::new(Class { name: name.clone(), bytes: bytes.clone(), from_start: *from_start });
        known.push(Arc::clone(&made));
        made
    }
}

impl Kept {
    /// Keeps the methods of a class that were called. `value` gives the value of a counter by its number. Of two with the same name,
    /// as of two rounds, the one with more calls stays, as in the rates.
    pub fn add(&mut self, class: &CountedClass, classes: &mut Classes, value: impl Fn(u32) -> u64) {
        for method in &class.methods {
            let Ok(counters) = method.counters else { continue };
            let name = format!("{}.{}{}", class.name, method.name, method.descriptor);
            let calls = value(method.first);
            let known = self.0.get(&name).and_then(|known| known.values.first()).copied().unwrap_or(0);
            if calls > known {
                let values = (0..counters).map(|place| value(method.first.saturating_add(place))).collect();
                let method = CountedMethod { first: 0, ..method.clone() };
                self.0.insert(name, Method { class: classes.of(class), method, values });
            }
        }
    }

    /// Whether this method was called.
    pub fn has(&self, method: &str) -> bool {
        self.0.contains_key(method)
    }

    /// Gives a method's counts to `look`; `None` of a method that was not called.
    pub fn look<T>(&self, method: &str, look: impl Fn(&MethodProfile<'_>) -> T) -> Option<T> {
        let Method { class, method, values } = self.0.get(method)?;
        let counted = CountedClass {
            name: class.name.clone(),
            bytes: class.bytes.clone(),
            from_start: class.from_start,
            methods: vec![method.clone()],
        };
        let value = |place: u32| values.get(place as usize).copied().unwrap_or(0);
        let mut found = None;
        // Class files that do not fit their counters had no rates, so no cause stands in their methods.
        let _ = profile(spl_model::DrillKind::Blocks, &counted, value, |one| found = Some(look(&one)));
        found
    }
}
