//! Numbers and texts as they are kept.

/// Most bytes of a text; longer ones are cut.
const MOST_TEXT: usize = 4_096;

/// A number of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Whole(i64),
    /// A ratio.
    Ratio(f64),
}

impl Number {
    /// A number of a document.
    pub(crate) fn of(number: &serde_json::Number) -> Option<Self> {
        number.as_i64().map(Self::Whole).or_else(|| number.as_f64().map(Self::Ratio))
    }

    /// As a ratio.
    #[expect(clippy::cast_precision_loss, reason = "counts are compared and shown, and none is as large")]
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::Whole(count) => count as f64,
            Self::Ratio(value) => value,
        }
    }
}

/// A text of a run without misleading characters, and not longer than is kept.
pub(crate) fn short(text: &str) -> String {
    let text = spl_model::one_line(text);
    match text.char_indices().find(|(at, one)| at + one.len_utf8() > MOST_TEXT) {
        None => text,
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
