//! Short names of methods that are still unique.

use spl_model::MethodRef;
use std::collections::HashMap;

/// The names of a run's methods, by their index.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    /// `Class.method`; with its parameters where others share that, in full where that is not enough.
    pub fn of<'a>(methods: impl Iterator<Item = &'a str> + Clone) -> Self {
        let candidates = methods.map(|text| [short(text, false), short(text, true), text.to_owned()]);
        let candidates: Vec<[String; 3]> = candidates.collect();
        let mut times: HashMap<&str, u32> = HashMap::new();
        for candidate in candidates.iter().flatten() {
            *times.entry(candidate).or_default() += 1;
        }
        let name = |candidate: &[String; 3]| {
            let alone = candidate.iter().find(|name| times.get(name.as_str()) == Some(&1));
            alone.unwrap_or(&candidate[2]).clone()
        };
        Self(candidates.iter().map(name).collect())
    }

    /// The name of a method.
    pub fn get(&self, method: usize) -> &str {
        self.0.get(method).map_or("?", String::as_str)
    }
}

fn short(text: &str, with_parameters: bool) -> String {
    let Ok(method) = text.parse::<MethodRef>() else { return text.to_owned() };
    let class = method.class().rsplit('/').next().unwrap_or_default();
    let name = format!("{class}.{}", method.name());
    // The descriptor stands between parentheses: JVMS 4.3.3.
    let parameters =
        text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |parts| parts.0);
    if with_parameters { format!("{name}({parameters})") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let methods = ["a/b/C.f(I)V", "a/b/C.f(J)V", "a/b/D.g()V", "x/D.g()V", "a/b/C$E.h()V"];
        let names = Names::of(methods.into_iter());
        let short: Vec<_> = (0..methods.len()).map(|index| names.get(index)).collect();
        assert_eq!(short, ["C.f(I)", "C.f(J)", "a/b/D.g()V", "x/D.g()V", "C$E.h"]);
    }
}
