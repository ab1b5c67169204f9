//! How finely charts are drawn: finely in a page with few of them, more coarsely where hundreds would make the page large.

/// Number of charted results up to which all details are drawn.
const FEW: usize = 8;

/// Most points of a chart's marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Dots of one colour.
    pub dots: usize,
    /// Rings of one colour, which take four times the room of dots.
    pub rings: usize,
    /// Points of a distribution's curve.
    pub steps: usize,
    /// Points of a density's curve.
    pub curve: usize,
}

/// Every detail.
pub const FULL: Detail = Detail { dots: 500, rings: 500, steps: 200, curve: 160 };
/// The least that still shows the shape of a spread and of a trend.
const LEAST: Detail = Detail { dots: 100, rings: 30, steps: 60, curve: 64 };

impl Detail {
    /// Detail of each chart in a page with charts of this number of results: their points together stay about as many as
    /// those of eight results, but each has at least its least ones.
    pub fn of(results: usize) -> Self {
        let part = |full: usize, least: usize| (full * FEW / results.max(FEW)).clamp(least, full);
        Self {
            dots: part(FULL.dots, LEAST.dots),
            // Full as long as dots are, then a quarter of them.
            rings: if results <= FEW { FULL.rings } else { part(FULL.rings / 4, LEAST.rings) },
            steps: part(FULL.steps, LEAST.steps),
            curve: part(FULL.curve, LEAST.curve),
        }
    }
}

impl Default for Detail {
    fn default() -> Self {
        FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_results_have_all_details_and_many_the_least() {
        assert_eq!((Detail::of(0), Detail::of(FEW)), (FULL, FULL));
        assert_eq!(Detail::of(16), Detail { dots: 250, rings: 62, steps: 100, curve: 80 });
        assert_eq!(Detail::of(60), LEAST);
    }
}
