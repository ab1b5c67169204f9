//! Figures for people: few digits, units, groups of three.

/// A length of time in nanoseconds, with three digits and a unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = in_unit(ns);
    let text = if unit == "ns" && value.fract() == 0.0 { digits(value) } else { three_digits(value) };
    format!("{text}\u{202f}{unit}")
}

/// A round length of time, for an axis.
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
pub fn digits(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with three significant digits, all of those before the point.
fn three_digits(value: f64) -> String {
    let size = value.abs();
    let sign = if value < 0.0 { "−" } else { "" };
    let text = match size {
        size if !size.is_finite() => return "–".to_owned(),
        size if size >= 99.95 => count(size.round() as u64),
        size if size >= 9.995 => format!("{size:.1}"),
        size if size >= 0.0995 || size == 0.0 => format!("{size:.2}"),
        size => format!("{size:.3}"),
    };
    format!("{sign}{text}")
}

/// A quotient, always with two digits behind the point unless it is small or large.
pub fn quotient(value: f64) -> String {
    match value.abs() {
        size if (0.0995..99.95).contains(&size) => format!("{value:.2}"),
        _ => digits(value),
    }
}

/// A whole number in groups of three.
pub fn count(number: u64) -> String {
    let plain = number.to_string();
    let groups = plain.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("\u{202f}")
}

/// A whole number and what it is of, in singular or plural.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A share from 0 to 1 in percent.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 0.01 { "under 0.01%".to_owned() } else { format!("{}%", digits(percent)) }
}

/// A smaller p-value says no more: what a test assumes of the times does not hold so exactly.
const SMALL_P: f64 = 0.0001;

/// A p-value; small ones only by their size.
pub fn p_value(p: f64) -> String {
    if p.is_nan() {
        "–".to_owned()
    } else if p < SMALL_P {
        format!("under {SMALL_P}")
    } else {
        format!("{p:.4}")
    }
}

/// How often something of this probability comes by chance, in words.
pub fn odds(p: f64) -> String {
    if p >= 0.095 {
        return format!("{} times in 100", (p * 100.0).round());
    }
    if p < SMALL_P {
        return format!("less than once in {} times", count((1.0 / SMALL_P).round() as u64));
    }
    // One of ten, of twenty, of thirty …: one digit says how rare it is.
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
        assert_eq!(digits(0.012_34), "0.012");
        assert_eq!(digits(f64::NAN), "–");
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
