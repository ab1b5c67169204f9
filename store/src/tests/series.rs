//! Metrics over time: read, inserted, asked for, and read back.

use super::{document, facts, filled, place};
use crate::{Asked, Cell, Inserted, Number, OfPoint, Run, Store, of_metrics};

/// The document with two intervals of two metrics.
fn with_series() -> String {
    let metric = |id: &str, name: &str, rest: &str| {
        format!(r#"{{"id":"{id}","category":"base","name":"{name}","kind":"value","unit":"count",{rest}}}"#)
    };
    let metrics = [
        metric("M1", "instructions", r#""least":[5,7],"most":[5,9],"exactness":["exact","bounded"]"#),
        metric(
            "M4",
            "objects",
            r#""variant":"all","least":[null,1.5],"most":[null,1.5],"exactness":["exact","exact"]"#,
        ),
    ];
    let series = format!(
        r#""series":{{"every":"1s","joined":1,"intervals":[{{"from_ms":0,"to_ms":1000,"ended_by":"trigger"}},
        {{"from_ms":1000,"to_ms":1400,"ended_by":"end"}}],"spaces":[{{"name":"app","metrics":[{}]}}],"reasons":[]}},"lacking""#,
        metrics.join(",")
    );
    document(85).replace("\"lacking\"", &series)
}

fn run() -> Run {
    of_metrics("m", with_series().as_bytes(), &[], facts("a", "b")).unwrap()
}

fn asked(place: &super::Place, sql: &str) -> Vec<Vec<Cell>> {
    Asked { store: place.path.clone(), sql: sql.to_owned(), values: Vec::new() }.answer().unwrap().rows
}

#[test]
fn a_series_is_a_view_with_a_line_for_each_interval() {
    let place = place();
    filled(&place, &[run()]);
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(
        asked(
            &place,
            "SELECT step, from_ms, to_ms, joined, value, least, most, exactness FROM series WHERE number = 'M1'"
        ),
        [
            [1, 0, 1000, 1, 5, 5, 5].map(Cell::Whole).into_iter().chain([text("exact")]).collect::<Vec<_>>(),
            [2, 1000, 1400, 1]
                .map(Cell::Whole)
                .into_iter()
                .chain([Cell::Null, Cell::Whole(7), Cell::Whole(9), text("bounded")])
                .collect(),
        ]
    );
    assert_eq!(
        asked(&place, "SELECT space, metric, variant, value FROM series WHERE number = 'M4' ORDER BY step"),
        [
            [text("app"), text("base.objects.value"), text("all"), Cell::Null],
            [text("app"), text("base.objects.value"), text("all"), Cell::Real(1.5)]
        ]
    );
    let store = Store::read(&place.path).unwrap();
    let listed = store.list(None, 9).unwrap().remove(0);
    let all = store.whole(listed, 9).unwrap().series;
    assert_eq!(all.iter().map(|one| one.options.as_str()).collect::<Vec<_>>(), ["", "all"]);
    assert_eq!(
        all[0].points[1],
        OfPoint { time_ms: [1000, 1400], bounds: Some([Number::Whole(7), Number::Whole(9)]) }
    );
    assert_eq!(all[1].points[0].bounds, None);
    // All goes with the run.
    Store::existing(&place.path).unwrap().remove(&[1]).unwrap();
    assert_eq!(
        asked(&place, "SELECT (SELECT count(*) FROM point), (SELECT count(*) FROM interval)"),
        [[0, 0].map(Cell::Whole)]
    );
}

#[test]
fn a_run_that_an_older_spl_has_inserted_gets_its_series() {
    let place = place();
    let without = Run { series: crate::Series::default(), ..run() };
    filled(&place, &[without]);
    let mut store = Store::existing(&place.path).unwrap();
    let mut insert = || store.insert(&[run()], &[]).unwrap();
    assert_eq!([insert(), insert()], [[Inserted::Changed(1)], [Inserted::Same(1)]]);
    assert_eq!(asked(&place, "SELECT count(*) FROM series"), [[Cell::Whole(4)]]);
}

#[test]
fn values_without_a_series_leave_the_one_that_is_there() {
    let place = place();
    filled(&place, &[run()]);
    let analysed = of_metrics("m", document(86).as_bytes(), &[], facts("a", "c")).unwrap();
    filled(&place, &[analysed]);
    let sql = "SELECT (SELECT count(*) FROM series), value FROM value WHERE number = 'M1' AND space = 'app'";
    assert_eq!(asked(&place, sql), [[Cell::Whole(4), Cell::Whole(86)]]);
}

#[test]
fn a_series_that_is_not_whole_is_refused() {
    let wrong = |from: &str, to: &str| {
        let document = with_series().replace(from, to);
        of_metrics("m", document.as_bytes(), &[], facts("a", "b")).unwrap_err().to_string()
    };
    for part in ["\"least\":[5]", "\"least\":[5,6,7]"] {
        let said = wrong("\"least\":[5,7]", part);
        assert!(said.contains("base.instructions.value has not a point for each of 2 intervals"), "{said}");
    }
    let twice = wrong(
        "\"objects\",\"kind\":\"value\",\"unit\":\"count\",\"variant\":\"all\"",
        "\"instructions\",\"kind\":\"value\",\"unit\":\"count\"",
    );
    assert!(twice.contains("base.instructions.value is there twice over time for the space app"), "{twice}");
    let good = with_series();
    (0..good.len())
        .for_each(|end| assert!(of_metrics("m", &good.as_bytes()[..end], &[], facts("a", "b")).is_err()));
}
