//! Phases of a program: whether each part of the measured time shows a method on the same side of its bound.
//! Windows are short when a measurement begins, so that most of them may be of a warm-up that lasted for half of the time.

use super::history::{History, Kept};
use super::quantile::rank;
use super::rules::Rules;
use spl_lang::Scaled;
use spl_lang::ast::Statistic;

/// Number of parts of equal length.
const PHASES: u64 = 4;

/// Whether each phase of each instance shows the method on the side of the bound that the whole shows. A phase without calls
/// shows nothing.
pub(super) fn agree(history: &History, scaled: &Scaled, bound_ns: f64) -> bool {
    history.instances().all(|id| {
        let turns = history.turns(id, scaled.method);
        let probe_ns = history.probe_ns(&[id]);
        let (Some(first), Some(last)) = (turns.first(), turns.last()) else { return true };
        let length = (last.began_ns.saturating_sub(first.began_ns) / PHASES).max(1);
        let phase = |turn: &Kept| (turn.began_ns.saturating_sub(first.began_ns) / length).min(PHASES - 1);
        let is_below = |of_phase: Option<u64>| {
            let turns = turns.iter().filter(|turn| of_phase.is_none_or(|wanted| phase(turn) == wanted));
            let calls = turns.flat_map(|turn| turn.strata.values()).flat_map(|calls| &calls.times);
            let times: Vec<f64> = calls.map(|&time| time as f64 - probe_ns).collect();
            Some(statistic(times, scaled.statistic)? * scaled.factor < bound_ns)
        };
        let whole = is_below(None);
        (0..PHASES).filter_map(|phase| is_below(Some(phase))).all(|below| Some(below) == whole)
    })
}

/// The statistic of these times; `None` without any. Long times are clipped in a mean.
fn statistic(mut times: Vec<f64>, which: Statistic) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    match which {
        Statistic::Median => rank(&times, 0.5),
        Statistic::Percentile(percent) => rank(&times, percent / 100.0),
        Statistic::Mean => {
            let most = rank(&times, 0.5)? * Rules::CLIP;
            Some(times.iter().map(|time| time.min(most)).sum::<f64>() / times.len() as f64)
        }
    }
}
