//! The forms of values: numbers, times, shares, words, paths.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Description of the expected value.
pub(super) type Expected = String;
/// Value of `overwrite-…`: older files are neither replaced nor appended to.
pub(super) const NUMBERED: &str = "number";

pub(super) fn number<T: FromStr>(value: &str, expected: &str) -> Result<T, Expected> {
    value.parse().map_err(|_| expected.to_owned())
}

pub(super) fn millis(value: &str) -> Result<Duration, Expected> {
    number(value, "milliseconds").map(Duration::from_millis)
}

pub(super) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A number from `low` on.
pub(super) fn least<T: FromStr + PartialOrd + From<u8>>(
    value: &str,
    low: u8,
    expected: &str,
) -> Result<T, Expected> {
    number(value, expected).and_then(|n: T| if n < low.into() { Err(expected.to_owned()) } else { Ok(n) })
}

/// A number between 0 and 1, both excluded.
pub(super) fn part(value: &str, expected: &str) -> Result<f64, Expected> {
    number(value, expected)
        .and_then(|n: f64| if n > 0.0 && n < 1.0 { Ok(n) } else { Err(expected.to_owned()) })
}

/// A share from 0 to 1, written as a percentage.
pub(super) fn percent(value: &str, expected: &str) -> Result<f64, Expected> {
    let share = value.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let share = share.map(|percent| percent / 100.0).filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| expected.to_owned())
}

pub(super) fn or_none<T>(
    value: &str,
    read: impl Fn(&str) -> Result<T, Expected>,
) -> Result<Option<T>, Expected> {
    if value == "none" { Ok(None) } else { read(value).map(Some) }
}

pub(super) fn path(value: &str) -> Result<PathBuf, Expected> {
    if value.is_empty() { Err("a path".to_owned()) } else { Ok(value.into()) }
}

/// Treatment of older files: whether they are replaced, and whether only in a folder of their own.
pub(super) fn older(value: &str) -> Result<(bool, bool), Expected> {
    if value == NUMBERED {
        return Ok((true, true));
    }
    flag(value)
        .map(|overwrite| (overwrite, false))
        .map_err(|_| format!("one of {NUMBERED}, 1, 0, true, false"))
}

pub(super) fn flag(value: &str) -> Result<bool, Expected> {
    word(value, &[("1", true), ("0", false), ("true", true), ("false", false)])
}

pub(super) fn word<T: Clone>(value: &str, words: &[(&str, T)]) -> Result<T, Expected> {
    let names = words.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    words
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, v)| v.clone())
        .ok_or_else(|| format!("one of {names}"))
}
