//! The keys of shares.

/// A key: a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least number that falls into it.
    pub low: u64,
    /// The greatest; `None` without end.
    pub high: Option<u64>,
}

impl Bin {
    /// Its key as text.
    #[must_use]
    pub fn text(self) -> String {
        match self.high {
            Some(high) if high == self.low => high.to_string(),
            Some(high) => format!("{}-{high}", self.low),
            None => format!("{}+", self.low),
        }
    }
}
