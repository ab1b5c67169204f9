//! The triggers that end intervals of metrics over time.

use crate::duration;
use spl_model::Pattern;
use std::time::Duration;

/// Least time between two instants, and the time between looks at the number of calls.
pub const LEAST: Duration = Duration::from_millis(100);

/// When an interval ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Every {
    /// After this time.
    Time(Duration),
    /// After this number of calls of the methods of a pattern, which is here as text, too.
    Calls(u64, Pattern, String),
}

impl Every {
    /// Reads `1s` or `100000:com.shop.Parser#parse`.
    ///
    /// # Errors
    /// The mistake, with a correct example.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some((number, pattern)) = text.split_once(':') {
            let calls = number.parse().ok().filter(|calls| *calls > 0);
            let calls = calls.ok_or_else(|| {
                format!("{number:?} is not a number of calls: expected a whole number over 0, as in 100000:com.shop.Parser#parse")
            })?;
            return Ok(Self::Calls(calls, Pattern::parse(pattern)?, pattern.to_owned()));
        }
        let time = duration::parse(text).map_err(|why| {
            format!("{why}, or a number of calls with a method, as in 100000:com.shop.Parser#parse")
        })?;
        if time < LEAST {
            return Err("at least 100ms: to read all counts takes time".to_owned());
        }
        Ok(Self::Time(time))
    }

    /// Its text, as [`parse`](Self::parse) reads it.
    pub fn text(&self) -> String {
        match self {
            Self::Time(time) if time.subsec_millis() == 0 => format!("{}s", time.as_secs()),
            Self::Time(time) => format!("{}ms", time.as_millis()),
            Self::Calls(calls, _, pattern) => format!("{calls}:{pattern}"),
        }
    }

    /// Lets intervals be twice as long.
    pub fn twice(&mut self) {
        match self {
            Self::Time(time) => *time = time.saturating_mul(2),
            Self::Calls(calls, ..) => *calls = calls.saturating_mul(2),
        }
    }

    /// Time to the next instant or look.
    pub fn pause(&self) -> Duration {
        match self {
            Self::Time(time) => *time,
            Self::Calls(..) => LEAST,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_a_time_or_a_number_of_calls() {
        assert_eq!(Every::parse("1m30s"), Ok(Every::Time(Duration::from_secs(90))));
        let calls = Every::parse("100000:com.shop.Parser#parse").unwrap();
        assert!(matches!(&calls, Every::Calls(100_000, ..)), "{calls:?}");
        assert_eq!(Every::parse(&calls.text()), Ok(calls));
        for (wrong, part) in [
            ("99ms", "at least 100ms"),
            ("10", "as in 90s"),
            ("0:a.B#c", "whole number over 0"),
            ("many:a.B#c", "as in 100000:"),
            ("5:@a.B", ""),
        ] {
            let said = Every::parse(wrong).unwrap_err();
            assert!(said.contains(part), "{wrong}: {said}");
        }
    }
}
