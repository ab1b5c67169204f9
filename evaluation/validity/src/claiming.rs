//! Lines `ok|FAIL claim figure`.

/// Prints claims, and remembers whether one failed.
#[derive(Debug, Default)]
pub struct Claims {
    /// Whether one failed.
    pub failed: bool,
}

impl Claims {
    /// Prints a claim and whether it holds.
    pub fn say(&mut self, holds: bool, text: &str) {
        self.failed |= !holds;
        println!("{} {text}", if holds { "ok  " } else { "FAIL" });
    }
}
