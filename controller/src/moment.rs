//! A measurement in progress, for tests of its displays.

use crate::claims::{Claim, Judged, Kind};
use crate::ending::Row;
use spl_scheduler::Situation;
use spl_session::status::{Metaspace, MethodStatus, Overhead, Phase, State, Status};
use spl_verdict::Standing;
use std::time::Duration;

/// Status of the measurement.
pub fn status() -> Status {
    let method = |name: &str, state, samples, full_buckets| MethodStatus {
        name: name.to_owned(),
        state,
        samples,
        most: 1000,
        discarded: 5,
        full_buckets,
        buckets: 3,
        every: if state == State::Armed { 8 } else { 1 },
    };
    Status {
        phase: Phase::Measuring,
        elapsed: Duration::from_secs(83),
        methods: vec![
            method("p/A.a()V", State::Armed, 120, 1),
            method("p/B.b1()V", State::Finished, 1000, 2),
            method("p/B.b2()V", State::Warming, 0, 0),
            method("p/B.b3()V", State::Suspended, 40, 0),
            method("p/B.b4(Ljava/lang/String;I)Ljava/util/List;", State::Armed, 3, 0),
            method("p/B.b5()V", State::NotLoaded, 0, 0),
            method("p/B.b6()V", State::Waiting, 0, 0),
        ],
        claims: Vec::new(),
        situation: Situation {
            now_ns: 83_000_000_000,
            difference_ns: Some(2_500_000),
            optimal: 4,
            measured: 3,
            unfinished: 6,
        },
        difference_limits_ns: (1_000_000, 100_000_000),
        overhead: Some(Overhead { estimated: 0.0042, agent: 0.0013, budget: 0.01 }),
        metaspace: Some(Metaspace { kept: 3 << 20, reserved: 1 << 20, limit: 16 << 20 }),
        lost: 7,
        to_go: Some(Duration::from_secs(200)),
    }
}

/// Claims of the measurement.
pub fn claims() -> Vec<Claim> {
    let claim = |number, standing| Claim {
        kind: Kind::Comparison,
        number,
        text: format!("p/A.a()V < p/B.b{number}()V"),
        standing,
        said: Vec::new(),
        judged: Vec::new(),
    };
    let ratio = Some([("value", 0.5), ("low", 0.4), ("high", 0.6)]);
    let judged = vec![Judged { bucket: "[0, 100)".to_owned(), p_value: 1e-6, ratio }];
    vec![Claim { judged, ..claim(1, Some(Standing::Holds)) }, claim(2, Some(Standing::Fails)), claim(3, None)]
}

/// The same claims as rows of a table, with the figures of the last look.
pub fn claim_rows() -> Vec<Row> {
    let row = |standing, figure: &str, interval: &str, claim: &str, title: Option<&str>| Row {
        standing,
        basis: None,
        figure: figure.to_owned(),
        interval: interval.to_owned(),
        calls: "1200/800".to_owned(),
        claim: claim.to_owned(),
        title: title.map(str::to_owned),
    };
    vec![
        row(Some(Standing::Holds), "0.500", "[0.400, 0.600]", "acme.app.A#a <= acme.app.B#b1", None),
        row(Some(Standing::Fails), "2.10", "[1.90, 2.31]", "acme.app.A#a <= 1.5 * acme.app.B#b2", None),
        row(None, "1.02", "[0.610, 1.71]", "acme.app.A#a = acme.app.B#b3 within 5%", None),
        row(None, "", "", "quick: p99(acme.app.A#a) <= 5 ms", Some("quick")),
    ]
}
