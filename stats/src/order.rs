//! Estimates from the order of values.

/// The median: the middle value, or the mean of the two middle ones; `None` without values. Reorders the
/// values and allocates nothing. A NaN counts as larger than every number.
#[must_use]
pub fn median(values: &mut [f64]) -> Option<f64> {
    let (middle, odd) = (values.len() / 2, !values.len().is_multiple_of(2));
    if values.is_empty() {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(lower.midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let check =
            |values: &[f64], expected| assert_eq!(median(&mut values.to_vec()), expected, "{values:?}");
        check(&[], None);
        check(&[3.0], Some(3.0));
        check(&[9.0, 1.0, 3.0], Some(3.0));
        check(&[9.0, 1.0, 3.0, 4.0], Some(3.5));
        check(&[f64::MAX, f64::MAX], Some(f64::MAX));
    }
}
