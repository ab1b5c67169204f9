//! Flags that are not set yet, and whose code is in the classes of a drill.

use std::collections::HashMap;

/// Digest of a class file.
type Digest = [u8; 32];

/// The open flags of each class, by its name and bytes.
#[derive(Debug, Default)]
pub struct OpenFlags {
    of: HashMap<String, HashMap<Digest, Vec<u32>>>,
}

impl OpenFlags {
    /// Notes the flags for which a class has code now.
    pub fn note(&mut self, class: &str, bytes: Digest, flags: Vec<u32>) {
        let of_name = self.of.entry(class.to_owned()).or_default();
        if flags.is_empty() {
            of_name.remove(&bytes);
        } else {
            of_name.insert(bytes, flags);
        }
        if of_name.is_empty() {
            self.of.remove(class);
        }
    }

    /// The classes with code of flags that are set.
    pub fn stale(&self, is_set: impl Fn(u32) -> bool) -> Vec<String> {
        let has_set = |flags: &Vec<u32>| flags.iter().any(|flag| is_set(*flag));
        let stale = self.of.iter().filter(|(_, of_name)| of_name.values().any(has_set));
        stale.map(|(name, _)| name.clone()).collect()
    }
}
