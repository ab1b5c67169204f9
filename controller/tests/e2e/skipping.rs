//! `spl analyse --include --exclude`: methods that no metric sees.

use crate::drill::{case, drill};
use crate::metrics::{analyse, values};
use std::fs;

#[test]
fn skipped_methods_are_seen_by_no_metric_and_the_order_of_rules_counts() {
    let case = case();
    drill(&case, &["--what", "calls", "--all"], &["Metrics"]).ends_by_itself().assert_status(0);
    let of = |rules: &[&str]| {
        let (status, out, said) =
            analyse(&case, &[&["out", "--as", "json", "--space", "g2=Metrics.G2#*"], rules].concat());
        assert_eq!(status, 0, "{said}");
        let values = values(&serde_json::from_str(&out).unwrap());
        let number = |space: &str, name: &str| values[space][name]["least"].as_u64();
        (number("app", "base.instructions.value"), number("g2", "base.methods.value"), out)
    };
    let (all, both, _) = of(&[]);
    assert_eq!(both, Some(4), "`go` and `m`, three times");
    let (without, only_go, out) = of(&["--exclude", "Metrics.G2#m"]);
    assert_eq!(only_go, Some(1));
    // `m` is a return, three times.
    assert_eq!(without.map(|without| without + 3), all);
    assert!(out.contains("without 1 method that --include or --exclude skips"), "{out}");
    // The first rule that names a method ends its processing: the same rules, the other way round.
    let (only, of_g2, _) = of(&["--include", "Metrics.G2#*", "--exclude", "Metrics.G2#m", "--exclude", "**"]);
    assert_eq!((only, of_g2), (Some(48), Some(4)));
    let (only, of_g2, _) = of(&["--exclude", "Metrics.G2#m", "--include", "Metrics.G2#*", "--exclude", "**"]);
    assert_eq!((only, of_g2), (Some(45), Some(1)));
    assert_eq!(of(&["--exclude", "Metrics.G2#m", "--include", "Metrics.G2#*"]).0, Some(45), "only these");

    for (rules, part) in [
        (&["--exclude", "**"][..], "skip every method"),
        (&["--include", "@a.B"], "--include "),
        (
            &["--exclude", "Metrics.G2", "--space", "g2=Metrics.G2#go"],
            "or --include and --exclude skip all of it",
        ),
    ] {
        let (status, out, said) = analyse(&case, &[&["out"], rules].concat());
        assert!(status == 2 && out.is_empty() && said.contains(part), "{rules:?}: {said}");
    }
    // Claims mean all methods.
    fs::write(case.path("m.tasks"), "metric(base.instructions, Metrics.G2#*) = 48\n").unwrap();
    let (status, _, said) = analyse(&case, &["out", "--tasks", "m.tasks", "--exclude", "Metrics.G2#m"]);
    assert_eq!(status, 0, "{said}");
}
