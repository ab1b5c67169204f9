//! The instances of a program that a claim was judged over, and how they differ.

/// Several instances with their own figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Instances {
    /// Each instance that counts.
    pub each: Vec<OneInstance>,
    /// Variance between instances of the ratio's logarithm, beyond the error of each one's own ratio.
    pub between: f64,
}

/// Figures of one instance.
#[derive(Clone, Debug, PartialEq)]
pub struct OneInstance {
    /// Its name.
    pub name: String,
    /// Number of windows in which all methods of the claim were called.
    pub windows: u64,
    /// Ratio of the means there, without the claim's factors; with a bound, of the scaled mean to the bound.
    pub ratio: f64,
    /// Lower end of the ratio's interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Means of both sides, nanoseconds; or the scaled mean and the bound.
    pub means_ns: [f64; 2],
    /// The ratio over that of the others, if they do not explain the difference.
    pub odd_ratio: Option<f64>,
    /// The length of its calls over that of the others, if they do not explain the difference.
    pub odd_speed: Option<f64>,
}

impl Instances {
    /// Standard deviation between instances, as a share of the ratio.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.between.sqrt().exp_m1()
    }

    /// The instances that differ from the others.
    #[must_use]
    pub fn odd(&self) -> Vec<OneInstance> {
        let is_odd = |one: &&OneInstance| one.odd_ratio.is_some() || one.odd_speed.is_some();
        self.each.iter().filter(is_odd).cloned().collect()
    }

    /// A sentence for each instance that differs from the others.
    #[must_use]
    pub fn oddities(&self) -> Vec<String> {
        self.each.iter().flat_map(OneInstance::oddities).collect()
    }
}

impl OneInstance {
    /// A sentence for each way in which it differs from the others.
    #[must_use]
    pub fn oddities(&self) -> Vec<String> {
        let Self { name, ratio, .. } = self;
        let speed = self.odd_speed.map(|times| {
            let (word, whose) = if times > 1.0 { ("slower", "its") } else { ("faster", "their") };
            let times = times.max(times.recip());
            format!("{name} is {word} than the other instances: {whose} calls take {times:.1} times as long")
        });
        let ratio = self.odd_ratio.map(|times| {
            // Against a bound that is far away the ratio itself has no digits.
            let own = if *ratio >= 0.01 { format!("{ratio:.2}, ") } else { String::new() };
            format!("{name} differs from the other instances: its ratio is {own}{times:.2} times theirs")
        });
        speed.into_iter().chain(ratio).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_that_differ_are_named() {
        let one = |name: &str, odd_ratio, odd_speed| OneInstance {
            name: name.to_owned(),
            windows: 20,
            ratio: 0.5,
            low: 0.4,
            high: 0.6,
            means_ns: [50.0, 100.0],
            odd_ratio,
            odd_speed,
        };
        let each = vec![one("a", None, Some(2.08)), one("b", None, None), one("c", Some(1.5), Some(0.25))];
        let instances = Instances { each, between: 0.01 };
        let expected = [
            "a is slower than the other instances: its calls take 2.1 times as long",
            "c is faster than the other instances: their calls take 4.0 times as long",
            "c differs from the other instances: its ratio is 0.50, 1.50 times theirs",
        ];
        assert_eq!(instances.oddities(), expected);
        assert!((instances.spread() - 0.1_f64.exp_m1()).abs() < 1e-12);
    }
}
