//! Lengths of time on the command line: `90s`, `5m`, `1h30m`, `500ms`.

use std::time::Duration;

/// Units with their milliseconds; a unit whose name begins with another's comes first.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
const EXPECTED: &str = "expected a length of time over 0 with its unit, as in 90s, 5m, 1h30m or 500ms";

/// Reads a length of time.
///
/// # Errors
/// The expected form, for a text that is not a length of time.
pub fn parse(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    let mut all = Duration::ZERO;
    while !rest.is_empty() {
        let (part, after) = one(rest).ok_or(EXPECTED)?;
        all = all.checked_add(part).ok_or(EXPECTED)?;
        rest = after;
    }
    if all.is_zero() { Err(EXPECTED.to_owned()) } else { Ok(all) }
}

/// A number with its unit, and what follows.
fn one(text: &str) -> Option<(Duration, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    let (unit, ms) = UNITS.iter().find(|(unit, _)| text[digits..].starts_with(unit))?;
    Some((Duration::from_millis(number.checked_mul(*ms)?), &text[digits + unit.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_units() {
        let check = |text: &str, ms: u64| assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        check("90s", 90_000);
        check("5m", 300_000);
        check("1h30m", 5_400_000);
        check("500ms", 500);
        check(" 2m5s ", 125_000);
        for wrong in
            ["", "5", "s", "1.5s", "-3s", "0s", "5x", "5 s", "99999999999999999999s", "9999999999999999h"]
        {
            assert_eq!(parse(wrong), Err(EXPECTED.to_owned()), "{wrong}");
        }
    }
}
