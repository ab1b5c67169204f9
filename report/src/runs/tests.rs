//! Pages of made-up runs.

use super::*;
use std::collections::BTreeMap;

/// A value of the metric `size.run.value` in the space `app`.
fn value(metric: &str, key: Option<i64>, least: f64, most: f64) -> MetricValue {
    MetricValue {
        space: "app".to_owned(),
        metric: metric.to_owned(),
        key: key.map(|low| (low, None)),
        bounds: Some(Bounds { least, most, is_count: true }),
        ..MetricValue::default()
    }
}

fn run(id: i64, tag: &str, instructions: f64) -> StoredRun {
    let method = RanMethod {
        class: "com/shop/Main".to_owned(),
        name: "main()V".to_owned(),
        calls: 1,
        bytecodes: [3, instructions as u64],
        blocks: [1, 2],
    };
    StoredRun {
        id,
        kind: "metrics".to_owned(),
        command: "com.shop.Main".to_owned(),
        tags: vec![tag.to_owned()],
        began: Some("2026-01-02 03:04:05".to_owned()),
        values: vec![
            value("base.instructions.value", None, instructions, instructions),
            value("size.run.value", None, 10.0, 12.0),
            value("polymorphism.targetArity.bin", Some(3), 1.0, 1.0),
            MetricValue { bounds: None, ..value("size.hot.value", None, 0.0, 0.0) },
        ],
        methods: vec![method],
        ..StoredRun::default()
    }
}

fn site(runs: Vec<StoredRun>) -> Site {
    let definition = ("size.run.value".to_owned(), "instructions that ran".to_owned());
    Site { spl: "1".to_owned(), runs, definitions: BTreeMap::from([definition]), ..Site::default() }
}

fn named(site: &Site) -> BTreeMap<String, String> {
    pages(site).unwrap().into_iter().collect()
}

#[test]
fn links_lead_to_pages_that_are_there() {
    let mut other = run(1, "old", 85.0);
    other.command = "com.shop.Other".to_owned();
    let mut site = site(vec![run(4, "new", 86.0), run(3, "new", 86.0), run(2, "old", 85.0), other]);
    site.compare = vec![(2, 4)];
    let all = named(&site);
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "difference-2-3.html",
            "difference-2-4.html",
            "difference-3-4.html",
            "index.html",
            "metrics.html",
            "program-1.html",
            "program-2.html",
            "run-1.html",
            "run-2.html",
            "run-3.html",
            "run-4.html"
        ]
    );
    let mut reached = std::collections::BTreeSet::from(["index.html", "difference-2-4.html"]);
    for (name, text) in &all {
        assert!(is_page(name, text), "{name}");
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let target = all.get_key_value(file).unwrap_or_else(|| panic!("{name} leads to {link}"));
            assert!(
                place.is_empty() || target.1.contains(&format!("id=\"{place}\"")),
                "{name} leads to {link}"
            );
            reached.insert(target.0);
        }
    }
    assert_eq!(reached.len(), all.len(), "a page that nothing leads to");
}

#[test]
fn only_the_newest_runs_have_a_difference_without_being_asked_for() {
    let runs: Vec<StoredRun> = (1..=40).rev().map(|id| run(id, "t", 85.0)).collect();
    let all = named(&site(runs));
    let differences = all.keys().filter(|name| name.starts_with("difference-")).count();
    assert_eq!(differences, site::MOST_DIFFERENCES);
    assert!(all.contains_key("difference-39-40.html") && !all["run-2.html"].contains("difference-"));
}

#[test]
fn a_difference_is_marked_by_the_spread_of_repeats() {
    let row = |all: &BTreeMap<String, String>, page: &str| {
        let text = all[page].replace('\u{202f}', " ");
        let rows = text.split("<tr").map(|rest| rest.split("</tr>").next().unwrap().to_owned());
        rows.filter(|row| row.contains("<th scope=\"row\">") && row.contains("<td class=\"n\">"))
            .collect::<Vec<String>>()
    };
    // Two repeats of each side, apart.
    let all = named(&site(vec![
        run(4, "new", 90.0),
        run(3, "new", 88.0),
        run(2, "old", 85.0),
        run(1, "old", 80.0),
    ]));
    let rows = row(&all, "difference-2-3.html");
    let [only] = &rows[..] else { panic!("{rows:?}") };
    assert!(only.starts_with(" class=\"outside\""), "{only}");
    for part in ["base.instructions.value", "+3", "1.035", "80 to 85", "88 to 90", "◆ outside"] {
        assert!(only.contains(part), "{part}: {only}");
    }
    assert!(all["difference-2-3.html"].contains("1 value differs, 3 are equal"));
    // Their ranges meet.
    let all = named(&site(vec![
        run(4, "new", 84.0),
        run(3, "new", 88.0),
        run(2, "old", 85.0),
        run(1, "old", 80.0),
    ]));
    assert!(row(&all, "difference-2-3.html")[0].contains("<td>inside</td>"));
    // A side without repeats.
    let all = named(&site(vec![run(2, "new", 88.0), run(1, "old", 85.0)]));
    assert!(row(&all, "difference-1-2.html")[0].contains("<td>unknown</td>"));
    // Equal runs.
    let all = named(&site(vec![run(2, "new", 85.0), run(1, "old", 85.0)]));
    assert!(row(&all, "difference-1-2.html").is_empty());
}

#[test]
fn a_run_leads_from_its_metrics_to_classes_and_methods() {
    let all = named(&site(vec![run(1, "old", 1_234_567.0)]));
    let page = all["run-1.html"].replace('\u{202f}', " ");
    for part in [
        "1 234 567",
        "10 to 12",
        "N/A",
        "polymorphism.targetArity.bin 3+",
        "com.shop.Main</code> · 1 234 567 bytecodes",
        "main()V",
        "3 to 1 234 567",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("<a href=\"metrics.html#size.run.value\">"));
}

#[test]
fn results_of_claims_stand_side_by_side() {
    let measured = |id, result: &str| {
        let claim = Claimed {
            text: "a/B.f()V <= a/B.g()V".to_owned(),
            about: Some("all".to_owned()),
            result: result.to_owned(),
            basis: Some("refuted".to_owned()),
            ratio: Some([2.0, 1.5, 2.5]),
        };
        StoredRun {
            values: Vec::new(),
            methods: Vec::new(),
            claims: vec![claim],
            kind: "measurement".to_owned(),
            ..run(id, "t", 1.0)
        }
    };
    let all = named(&site(vec![measured(2, "fails"), measured(1, "holds")]));
    assert!(
        all["run-2.html"].contains("class=\"bad\"") && all["run-2.html"].contains("2 (1.5 to 2.5)"),
        "{}",
        all["run-2.html"]
    );
    let difference = &all["difference-1-2.html"];
    assert!(difference.contains("<td>holds</td>") && difference.contains("<td>fails</td>"), "{difference}");
    assert!(all["index.html"].contains("1 failed"));
}

#[test]
fn hostile_names_stay_text_and_pages_need_nothing_else() {
    let bad = "<script>alert(1)</script>\u{202e}\"'&";
    let mut one = run(1, bad, 85.0);
    one.command = bad.to_owned();
    one.folder = bad.to_owned();
    one.methods[0].name = bad.to_owned();
    one.methods[0].class = bad.to_owned();
    one.values[0].metric = bad.to_owned();
    one.values[0].space = bad.to_owned();
    let mut other = one.clone();
    other.id = 2;
    other.values[0].bounds = Some(Bounds { least: 1.0, most: 1.0, is_count: true });
    other.claims = vec![Claimed {
        text: bad.to_owned(),
        about: Some(bad.to_owned()),
        basis: Some(bad.to_owned()),
        ..Claimed::default()
    }];
    for (name, text) in named(&site(vec![other, one])) {
        assert!(!text.contains("<script") && !text.contains('\u{202e}'), "{name}");
        assert!(
            !text.contains("http:") && !text.contains("https:") && !text.contains("src="),
            "{name} needs something else"
        );
        assert!(text.contains("default-src &#39;none&#39;") || text.contains("default-src 'none'"), "{name}");
    }
}

#[test]
fn a_run_that_is_not_there_cannot_be_compared() {
    let mut site = site(vec![run(1, "t", 1.0)]);
    site.compare = vec![(1, 7)];
    assert_eq!(pages(&site).unwrap_err(), 7);
}

#[test]
fn a_page_has_its_name_and_its_maker() {
    let text = &named(&site(vec![run(1, "t", 1.0)]))["run-1.html"];
    assert!(is_page("run-1.html", text));
    for name in ["notes.html", "run-.html", "run-1.txt", "run-x.html", "../run-1.html"] {
        assert!(!is_page(name, text), "{name}");
    }
    let other = text.replace("spl pages", "spl report");
    for text in ["", "mine", &other, &text[..text.len() / 2]] {
        assert!(!is_page("run-1.html", text), "{text}");
    }
}

#[test]
fn a_served_page_is_made_of_what_it_needs() {
    let runs = || vec![run(4, "new", 90.0), run(3, "new", 88.0), run(2, "old", 85.0), run(1, "old", 80.0)];
    let all = named(&site(runs()));
    let expected: [(&str, &[i64]); 6] = [
        ("index.html", &[]),
        ("metrics.html", &[]),
        ("run-3.html", &[3]),
        ("program-1.html", &[1, 2, 3, 4]),
        ("difference-2-3.html", &[1, 2, 3, 4]),
        ("difference-1-2.html", &[1, 2]),
    ];
    for (name, ids) in expected {
        // Only the lines of the other runs are there.
        let mut lines = site(runs());
        assert_eq!(needed(&lines, name), Some(ids.iter().copied().collect()), "{name}");
        for run in lines.runs.iter_mut().filter(|run| !ids.contains(&run.id)) {
            let line = Some(Contents { values: 4, results: 0, failed: 0 });
            *run = StoredRun { line, values: Vec::new(), methods: Vec::new(), ..run.clone() };
        }
        assert_eq!(page(&lines, name).as_ref(), all.get(name), "{name}");
    }
    let mut served = site(runs());
    served.is_served = true;
    // Any two runs have a page, and a program has it by any of its runs.
    for name in ["difference-1-4.html", "difference-4-1.html", "program-4.html"] {
        assert!(page(&served, name).is_some_and(|text| !text.contains("http-equiv")), "{name}");
    }
    for name in [
        "",
        "run-9.html",
        "run-.html",
        "run-1-2.html",
        "difference-1.html",
        "difference-1-9.html",
        "program-9.html",
        "query.html",
        "run-1",
    ] {
        assert_eq!((needed(&served, name), page(&served, name)), (None, None), "{name}");
    }
}

#[test]
fn an_editor_shows_texts_and_the_place_of_a_mistake() {
    let bad = "</textarea><script>alert(1)</script>\u{202e}";
    let asking = Asking {
        sql: format!("SELECT é,\n\t{bad} FORM run"),
        values: bad.to_owned(),
        saved: vec![("mine".to_owned(), bad.to_owned())],
        tables: vec![Table { name: "run".to_owned(), columns: vec![bad.to_owned()] }],
        outcome: Outcome::Fault { why: bad.to_owned(), place: Some([1, 9]) },
    };
    let text = asked(&site(Vec::new()), &asking);
    assert_eq!(text.matches("<script").count(), 1, "{text}");
    assert!(
        !text.contains('\u{202e}') && text.contains("<pre><code>SELECT é,\n        ^</code></pre>"),
        "{text}"
    );
    let answer =
        Outcome::Answer { columns: vec![(bad.to_owned(), false)], rows: vec![vec![bad.to_owned()]], all: 1 };
    let text = asked(&site(Vec::new()), &Asking { outcome: answer, ..asking.clone() });
    assert_eq!(text.matches("<script").count(), 1, "{text}");
    // Places of a long line, and places that are not there.
    for (place, shown) in
        [([1, 301], true), ([1, usize::MAX], true), ([2, 1], false), ([0, 0], false), ([1, 0], false)]
    {
        let sql = "x".repeat(600);
        let outcome = Outcome::Fault { why: "no".to_owned(), place: Some(place) };
        let text = asked(&site(Vec::new()), &Asking { sql, outcome, ..Asking::default() });
        assert_eq!(text.contains("^</code>"), shown, "{place:?}");
        assert!(text.len() < 20_000, "{place:?}");
    }
}

/// A metric with these bounds in intervals of a second.
fn over_time(space: &str, metric: &str, bounds: &[Option<[f64; 2]>]) -> OverTime {
    let moments = (0_u32..).zip(bounds);
    OverTime {
        space: space.to_owned(),
        metric: metric.to_owned(),
        moments: moments
            .map(|(at, bounds)| Moment { time_s: [f64::from(at), f64::from(at + 1)], bounds: *bounds })
            .collect(),
        ..OverTime::default()
    }
    .thinned()
}

#[test]
fn a_run_shows_what_changes_over_time() {
    let mut of = run(1, "t", 85.0);
    of.over_time = vec![
        over_time("whole", "base.methods.value", &[Some([1.0, 1.0]), Some([2.0, 2.0])]),
        over_time("app", "size.run.value", &[Some([10.0, 10.0]), None, Some([5.0, 20.0]), Some([0.0, 0.0])]),
        over_time("app", "base.methods.value", &[Some([3.0, 3.0]); 4]),
    ];
    let page = named(&site(vec![of]))["run-1.html"].clone();
    assert_eq!(page.matches("<svg ").count(), 1, "the others are the same all the time, or of a wider space");
    for part in [
        "aria-label=\"0 to 20, 0 s to 4 s\"",
        // The line has a gap where there is no value, and a band where the value is not known.
        "<path class=\"line\" d=\"M0 28H60M120 22H180V54H240\"/>",
        "<path class=\"band\" d=\"M120 41V2H180V41z\"/>",
        "metrics.html#size.run.value",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("style=\""), "the policy allows no such styles");
}

#[test]
fn long_series_are_small_charts() {
    let long: Vec<_> = (0_u32..10_000).map(|at| Some([f64::from(at % 97), f64::from(at % 97)])).collect();
    let one = over_time("app", "size.run.value", &long);
    assert!(one.moments.len() <= 48, "{}", one.moments.len());
    let range = one.moments.iter().filter_map(|moment| moment.bounds);
    assert_eq!(range.fold([9.0, 0.0_f64], |all, one| [one[0].min(all[0]), one[1].max(all[1])]), [0.0, 96.0]);
    let mut of = run(1, "t", 85.0);
    of.over_time = (0..40).map(|number| OverTime { metric: format!("m.{number}"), ..one.clone() }).collect();
    let page = &named(&site(vec![of]))["run-1.html"];
    assert_eq!(page.matches("<svg ").count(), 12);
    assert!(page.contains("28 more change less") && page.len() < 60_000, "{}", page.len());
}
