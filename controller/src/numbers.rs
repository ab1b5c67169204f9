//! Numbers with their nouns, in lines on a terminal.

/// A number with a comma before each three digits.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with its noun.
pub fn plural(count: u64, one: &str) -> String {
    let ending = match (count, one) {
        (1, _) => "",
        (_, "class") => "es",
        _ => "s",
    };
    format!("{} {one}{ending}", number(count))
}

/// A number with its noun and verb, in singular or plural.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            (plural(1, "class"), plural(2, "class"), plural(0, "call")),
            ("1 class".into(), "2 classes".into(), "0 calls".into())
        );
        assert_eq!(counted(1, "event is", "events are"), "1 event is");
        assert_eq!(counted(2000, "event is", "events are"), "2,000 events are");
    }
}
