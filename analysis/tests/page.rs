//! The page of metrics has the table that the code has.

use spl_analysis::{Metric, metrics};

/// The line of a metric on the page.
fn row(metric: &Metric) -> String {
    let needs: Vec<&str> = metric.needs.iter().map(|need| need.text()).collect();
    let variants: String =
        metric.variants.iter().map(|(name, text)| format!(" Variant `{name}`: {text}")).collect();
    let needs = needs.join(", ");
    format!(
        "| {} | `{}` | {} | {}{variants} | {needs} |",
        metric.id,
        metric.full_name(),
        metric.unit.name(),
        metric.text,
    )
}

#[test]
fn the_page_has_each_metric_in_the_order_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/metrics.md");
    let page = std::fs::read_to_string(path).expect("the page is there");
    let rows: Vec<&str> =
        page.lines().filter(|line| line.starts_with("| M") || line.starts_with("| - |")).collect();
    let expected: Vec<String> = metrics::all().map(row).collect();
    let missing: Vec<&String> = expected.iter().filter(|row| !rows.contains(&row.as_str())).collect();
    assert!(
        missing.is_empty(),
        "docs/metrics.md lacks:\n{}",
        missing.iter().map(|row| format!("{row}\n")).collect::<String>()
    );
    assert_eq!(rows, expected);
}
