//! The state of a measurement in the text format of Prometheus, in a file that node_exporter's textfile
//! collector or another reader finds complete at any time (`docs/files.md`).

use crate::claims::Claim;
use spl_model::lines;
use spl_session::files::write_whole;
use spl_session::status::{Phase, State, Status};
use spl_verdict::Standing;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Interval between two writes.
const INTERVAL: Duration = Duration::from_secs(1);

/// The file of metrics.
#[derive(Debug)]
pub struct MetricsFile {
    path: PathBuf,
    next: Instant,
}

impl MetricsFile {
    /// A file that is not yet written.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), next: Instant::now() }
    }

    /// Whether the next write is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Writes the file.
    ///
    /// # Errors
    /// When it cannot be written; one line of text.
    pub fn write(&mut self, status: &Status, claims: &[Claim]) -> Result<(), String> {
        self.next = Instant::now() + INTERVAL;
        write_whole(&self.path, text(status, claims).as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

fn text(status: &Status, claims: &[Claim]) -> String {
    let mut page = Page::default();
    whole(&mut page, status);
    methods(&mut page, status);
    results(&mut page, claims);
    page.text
}

fn whole(page: &mut Page, status: &Status) {
    page.family("spl_phase", "gauge", "Where the measurement stands: 1 for the phase that it is in.");
    for (phase, word) in [
        (Phase::Waiting, "waiting"),
        (Phase::Starting, "starting"),
        (Phase::Measuring, "measuring"),
        (Phase::Ending, "ending"),
    ] {
        page.value(&[("phase", word)], truth(status.phase == phase));
    }
    page.family("spl_elapsed_seconds", "gauge", "Time since the controller began.");
    page.value(&[], status.elapsed.as_secs_f64());
    page.family("spl_optimal_methods", "gauge", "Methods, or groups with windows, to be measured at once.");
    page.value(&[], status.situation.optimal as f64);
    page.family("spl_measured_methods", "gauge", "Methods, or groups with windows, that are measured.");
    page.value(&[], status.situation.measured as f64);
    if let Some(difference_ns) = status.situation.difference_ns {
        page.family("spl_end_difference_seconds", "gauge", "Smoothed time between two measurement ends.");
        page.value(&[], difference_ns as f64 / 1e9);
    }
    if let Some(overhead) = status.overhead {
        let help =
            "Part of the program's CPU time that probes, estimated from the calls taken, and agent took.";
        page.family("spl_overhead_ratio", "gauge", help);
        page.value(&[], overhead.estimated);
        let help = "Part of the program's CPU time that the agent's own thread took.";
        page.family("spl_overhead_agent_ratio", "gauge", help);
        page.value(&[], overhead.agent);
        page.family(
            "spl_overhead_budget_ratio",
            "gauge",
            "Part of the program's CPU time that probes and agent may take.",
        );
        page.value(&[], overhead.budget);
    }
    if let Some(metaspace) = status.metaspace {
        let help =
            "Metaspace that changes of classes keep in the program's JVM for good, or may yet take there.";
        page.family("spl_metaspace_kept_bytes", "gauge", help);
        page.value(&[], metaspace.kept as f64);
        let help = "Metaspace that is set aside to restore the classes which have probes.";
        page.family("spl_metaspace_reserved_bytes", "gauge", help);
        page.value(&[], metaspace.reserved as f64);
        let help = "Metaspace that changes of classes may keep, with what is set aside (metaspace-limit).";
        page.family("spl_metaspace_limit_bytes", "gauge", help);
        page.value(&[], metaspace.limit as f64);
    }
    page.family("spl_lost_samples_total", "counter", "Samples that never arrived.");
    page.value(&[], status.lost as f64);
}

fn methods(page: &mut Page, status: &Status) {
    page.family("spl_methods", "gauge", "Methods in each state.");
    for state in State::ALL {
        let count = status.methods.iter().filter(|method| method.state == state).count();
        page.value(&[("state", state.word())], count as f64);
    }
    page.family("spl_method_samples_total", "counter", "Samples of a method that count.");
    for method in &status.methods {
        page.value(&[("method", &method.name)], method.samples as f64);
    }
    page.family("spl_method_discarded_samples_total", "counter", "Samples of a method that were discarded.");
    for method in &status.methods {
        page.value(&[("method", &method.name)], method.discarded as f64);
    }
    page.family("spl_method_full_buckets", "gauge", "Buckets of sizes with samples enough for a comparison.");
    for method in &status.methods {
        page.value(&[("method", &method.name)], method.full_buckets as f64);
    }
}

fn results(page: &mut Page, claims: &[Claim]) {
    let results: [(&str, Option<Standing>); 4] = [
        ("holds", Some(Standing::Holds)),
        ("fails", Some(Standing::Fails)),
        ("undecided", Some(Standing::Undecided)),
        ("open", None),
    ];
    page.family(
        "spl_claim_result",
        "gauge",
        "The result of a claim: 1 for its result, open before there is one.",
    );
    for claim in claims {
        let number = claim.number.to_string();
        for (word, standing) in results {
            let labels =
                [("kind", claim.kind.word()), ("number", &number), ("claim", &claim.text), ("result", word)];
            page.value(&labels, truth(claim.standing == standing));
        }
    }
    page.family("spl_comparison_p_value", "gauge", "P-value of a comparison in a bucket of sizes.");
    for claim in claims {
        for judged in &claim.judged {
            let number = claim.number.to_string();
            page.value(&[("number", &number), ("bucket", &judged.bucket)], judged.p_value);
        }
    }
    let help = "Scaled left mean over scaled right mean of a comparison in a bucket, with its interval.";
    page.family("spl_comparison_ratio", "gauge", help);
    for claim in claims {
        for judged in &claim.judged {
            let number = claim.number.to_string();
            for (part, value) in judged.ratio.into_iter().flatten() {
                page.value(&[("number", &number), ("bucket", &judged.bucket), ("part", part)], value);
            }
        }
    }
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A text that grows by families of metrics.
#[derive(Default)]
struct Page {
    text: String,
    family: &'static str,
}

impl Page {
    /// Begins a family; its help has neither line ends nor backslashes.
    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.family = name;
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A value of the current family. `f64` prints as Prometheus reads it, except for infinities.
    fn value(&mut self, labels: &[(&str, &str)], value: f64) {
        let labels = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
        let labels = labels.collect::<Vec<_>>().join(",");
        let labels = if labels.is_empty() { labels } else { format!("{{{labels}}}") };
        let value = match value {
            f64::INFINITY => "+Inf".to_owned(),
            f64::NEG_INFINITY => "-Inf".to_owned(),
            value => value.to_string(),
        };
        let _ = writeln!(self.text, "{}{labels} {value}", self.family);
    }
}

/// A label's value, escaped for the format.
fn escaped(value: &str) -> String {
    lines(value).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moment::{claims, status};
    use std::collections::{BTreeMap, BTreeSet};

    type Labels = BTreeMap<String, String>;

    /// Reads the format by its description: every sample below the HELP and TYPE of its family, families in
    /// one piece, names and labels of legal characters, no sample twice.
    fn parse(text: &str) -> BTreeMap<(String, Labels), f64> {
        let (mut values, mut families) = (BTreeMap::new(), BTreeSet::new());
        let mut family = String::new();
        let name_of = |name: &str| {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
            name.to_owned()
        };
        let mut lines = text.lines();
        assert!(text.ends_with('\n'));
        while let Some(line) = lines.next() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                family = name_of(help.split(' ').next().unwrap());
                let kind = lines.next().unwrap().strip_prefix(&format!("# TYPE {family} ")).unwrap();
                assert_eq!(kind == "counter", family.ends_with("_total"), "{family} {kind}");
                assert!(["counter", "gauge"].contains(&kind) && families.insert(family.clone()));
                continue;
            }
            let rest = line.strip_prefix(&family).unwrap();
            let (labels, value) = match rest.strip_prefix('{') {
                Some(rest) => read_labels(rest, &name_of),
                None => (Labels::new(), rest),
            };
            let value = value.strip_prefix(' ').unwrap().parse().unwrap();
            assert!(values.insert((family.clone(), labels), value).is_none(), "twice: {line}");
        }
        values
    }

    fn read_labels<'a>(mut rest: &'a str, name_of: &impl Fn(&str) -> String) -> (Labels, &'a str) {
        let mut labels = Labels::new();
        loop {
            let (name, after) = rest.split_once("=\"").unwrap();
            let (mut value, mut chars) = (String::new(), after.chars());
            loop {
                match chars.next().unwrap() {
                    '\\' => value.push(match chars.next().unwrap() {
                        'n' => '\n',
                        same => same,
                    }),
                    '"' => break,
                    other => value.push(other),
                }
            }
            labels.insert(name_of(name), value);
            rest = chars.as_str();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return (labels, rest.strip_prefix('}').unwrap()),
            }
        }
    }

    #[test]
    fn a_page_reads_back() {
        let mut claims = claims();
        claims[0].text = "a \\ \"b\"\nc".to_owned();
        let values = parse(&text(&status(), &claims));
        let get = |name: &str, labels: &[(&str, &str)]| {
            let labels = labels.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
            *values.get(&(name.to_owned(), labels)).unwrap_or_else(|| panic!("{name} is missing: {values:?}"))
        };
        assert_eq!(get("spl_phase", &[("phase", "measuring")]), 1.0);
        assert_eq!(get("spl_methods", &[("state", "armed")]), 2.0);
        assert_eq!(get("spl_method_samples_total", &[("method", "p/A.a()V")]), 120.0);
        assert_eq!(get("spl_lost_samples_total", &[]), 7.0);
        assert_eq!(get("spl_overhead_budget_ratio", &[]), 0.01);
        assert_eq!(get("spl_overhead_agent_ratio", &[]), 0.0013);
        let claim = |result| {
            let labels =
                [("kind", "comparison"), ("number", "1"), ("claim", "a \\ \"b\"\nc"), ("result", result)];
            get("spl_claim_result", &labels)
        };
        assert_eq!((claim("holds"), claim("fails"), claim("open")), (1.0, 0.0, 0.0));
        let ratio = [("number", "1"), ("bucket", "[0, 100)"), ("part", "low")];
        assert_eq!(get("spl_comparison_ratio", &ratio), 0.4);
    }

    #[test]
    fn numbers_that_are_none_are_written_as_prometheus_reads_them() {
        let mut page = Page::default();
        page.family("spl_x", "gauge", "X.");
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-9] {
            page.value(&[], value);
        }
        assert!(
            page.text.ends_with("spl_x +Inf\nspl_x -Inf\nspl_x NaN\nspl_x 0.000000001\n"),
            "{}",
            page.text
        );
    }

    #[test]
    fn the_file_is_replaced_whole_and_can_be_read_by_others() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spl.prom");
        let mut file = MetricsFile::new(&path);
        file.write(&status(), &claims()).unwrap();
        let first = std::fs::File::open(&path).unwrap();
        file.write(&Status { lost: 8, ..status() }, &claims()).unwrap();
        assert_eq!(
            std::io::read_to_string(first).unwrap(),
            text(&status(), &claims()),
            "who reads the old one reads on"
        );
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        // The user's umask may forbid more, but the mode for private files would lock out all other users.
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        assert_eq!(mode, std::fs::metadata(&plain).unwrap().permissions().mode());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
        let problem =
            MetricsFile::new(&folder.path().join("none/spl.prom")).write(&status(), &[]).unwrap_err();
        assert!(problem.contains("none/spl.prom"), "{problem}");
    }
}
