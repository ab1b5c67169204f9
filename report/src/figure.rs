//! Figures for people, in the same form everywhere: three significant digits, units, groups of three.
//!
//! Groups and units are separated by a narrow space (U+202F), which [`plain`] replaces by a usual one for
//! terminals.

/// A text with usual spaces, for a terminal or a log.
#[must_use]
pub fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

/// A length of time in nanoseconds, with three digits and a unit.
#[must_use]
pub fn time(ns: f64) -> String {
    let (value, unit) = in_unit(ns);
    let text = if unit == "ns" && value.fract() == 0.0 { digits(value) } else { three_digits(value) };
    format!("{text}\u{202f}{unit}")
}

/// A round length of time, for an axis.
#[must_use]
pub fn tick(ns: f64) -> String {
    let (value, unit) = in_unit(ns);
    format!("{}\u{202f}{unit}", digits(value))
}

fn in_unit(ns: f64) -> (f64, &'static str) {
    match ns.abs() {
        size if size < 999.5 => (ns, "ns"),
        size if size < 999.5e3 => (ns / 1e3, "µs"),
        size if size < 999.5e6 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    }
}

/// A number with three significant digits, all of those before the point, and no zeros at the end.
#[must_use]
pub fn digits(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with three significant digits, all of those before the point.
fn three_digits(value: f64) -> String {
    let size = value.abs();
    let sign = if value < 0.0 { "−" } else { "" };
    let text = match size {
        // No ratio and no time that was measured is as large.
        size if !size.is_finite() || size >= 1e15 => return "–".to_owned(),
        0.0 => "0.00".to_owned(),
        size if size >= 99.95 => count(size.round() as u64),
        size if size < SMALL => format!("{size:.2e}"),
        size => {
            let shown = format!("{size:.*}", decimals(size));
            // A number that is rounded up to the next power of ten has one more digit.
            let rounded = shown.parse().unwrap_or(size);
            if decimals(rounded) < decimals(size) { format!("{size:.*}", decimals(rounded)) } else { shown }
        }
    };
    format!("{sign}{text}")
}

/// Numbers below this are shown by their powers of ten.
const SMALL: f64 = 1e-5;

/// Digits behind the point of a number below 100 with three significant digits.
fn decimals(size: f64) -> usize {
    (2 - size.log10().floor() as i64).clamp(0, 9) as usize
}

/// A quotient, with three significant digits; near 1 with three behind the point, to show on which side of 1
/// it is.
#[must_use]
pub fn quotient(value: f64) -> String {
    if (0.95..1.05).contains(&value) { format!("{value:.3}") } else { three_digits(value) }
}

/// A whole number in groups of three.
#[must_use]
pub fn count(number: u64) -> String {
    let plain = number.to_string();
    let groups = plain.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("\u{202f}")
}

/// A whole number with its noun, in singular or plural.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A share from 0 to 1 in percent.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.01 { "under 0.01%".to_owned() } else { format!("{}%", digits(percent)) }
}

/// Smallest p-value that is shown exactly: the assumptions of a test do not hold more precisely.
const SMALL_P: f64 = 0.0001;

/// A p-value with three significant digits; small ones only by their size, as those near 1.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p.is_nan() {
        "–".to_owned()
    } else if p < SMALL_P {
        format!("< {SMALL_P}")
    } else if p > 1.0 - SMALL_P {
        format!("> {}", 1.0 - SMALL_P)
    } else {
        three_digits(p)
    }
}

/// A p-value as an equation: `p = 0.0312`, `p < 0.0001`.
#[must_use]
pub fn p_equation(p: f64) -> String {
    let value = p_value(p);
    if value.starts_with(['<', '>']) { format!("p {value}") } else { format!("p = {value}") }
}

/// Frequency by chance of an event of this probability, in words.
#[must_use]
pub fn odds(p: f64) -> String {
    if p >= 0.095 {
        return format!("{} times in 100", (p * 100.0).round());
    }
    if p < SMALL_P {
        return format!("less than once in {} times", count((1.0 / SMALL_P).round() as u64));
    }
    // One of ten, of twenty, of thirty …: one digit is enough for the rarity.
    let rarity = 1.0 / p;
    let unit = 10_f64.powf(rarity.log10().floor());
    let rounded = ((rarity / unit).floor() * unit).round() as u64;
    format!("once in {} times", count(rounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        let check = |ns: f64, expected: &str| assert_eq!(time(ns).replace('\u{202f}', " "), expected);
        check(0.0, "0 ns");
        check(54.0, "54 ns");
        check(999.4, "999 ns");
        check(999.6, "1.00 µs");
        check(35_248_212.0, "35.2 ms");
        check(1234.0, "1.23 µs");
        check(7.2e12, "7 200 s");
        assert_eq!(tick(2000.0).replace('\u{202f}', " "), "2 µs");
        assert_eq!(count(1_234_567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!(digits(-0.5), "−0.5");
        assert_eq!(digits(0.012_34), "0.0123");
        assert_eq!(digits(0.000_999_9), "0.001");
        assert_eq!(digits(1.23e-7), "1.23e-7");
        assert_eq!(digits(f64::NAN), "–");
    }

    #[test]
    fn quotients_and_p_values_have_significant_digits() {
        let check = |value: f64, expected: &str| assert_eq!(quotient(value), expected);
        check(2.0, "2.00");
        check(0.000_412_3, "0.000412");
        check(0.996_2, "0.996");
        check(1.003_6, "1.004");
        check(0.099_96, "0.100");
        check(12.345, "12.3");
        check(250.4, "250");
        check(1.9e19, "–");
        let check = |p: f64, expected: &str| assert_eq!(p_equation(p), expected);
        check(0.0, "p < 0.0001");
        check(2.05e-6, "p < 0.0001");
        check(0.000_312, "p = 0.000312");
        check(0.049_96, "p = 0.0500");
        check(0.456, "p = 0.456");
        check(0.999_99, "p > 0.9999");
        check(1.0, "p > 0.9999");
    }

    #[test]
    fn rare_chances_are_told_by_their_rarity() {
        let check = |p: f64, expected: &str| assert_eq!(odds(p).replace('\u{202f}', " "), expected);
        check(0.49, "49 times in 100");
        check(0.05, "once in 20 times");
        check(0.0003, "once in 3 000 times");
        check(1e-30, "less than once in 10 000 times");
    }
}
