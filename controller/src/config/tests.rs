//! Meaning of the configuration file.

use super::keys::{BEYOND_THESIS, KEYS};
use super::shown::DEFAULTS;
use super::*;
use spl_lang::RunMode;
use spl_model::Scale;
use spl_model::Sizing;
use spl_scheduler::{Paired, Settings, WarmUp};
use spl_session::config::{Drill, DrillBudget, InitialSleep, Judge, LONGEST_WAIT_NS};
use spl_verdict::Correction;
use std::time::Duration;

fn parse(text: &str) -> Result<Config, String> {
    super::parse(text, Path::new("f.ini"), &[])
}

#[test]
fn an_empty_file_gives_the_defaults() {
    assert_eq!(parse("").unwrap(), Config::default());
}

#[test]
fn the_commented_file_shows_every_key_with_its_default() {
    let text = DEFAULTS;
    assert_eq!(parse(text).unwrap(), Config::default());
    for (section, key, _) in KEYS {
        let shown =
            text.split("\n[").find(|part| part.trim_start_matches('[').starts_with(&format!("{section}]")));
        assert!(shown.is_some_and(|part| part.contains(&format!("\n{key} = "))), "[{section}] {key}");
    }
}

#[test]
fn the_page_has_every_key_with_its_default_and_no_other() {
    let page = include_str!("../../../docs/configuration.md");
    for line in include_str!("../../../splserver.ini").lines().filter(|line| !line.starts_with('#')) {
        let Some((key, default)) = line.split_once(" = ") else { continue };
        assert!(page.contains(&format!("\n| `{key}` | {default} | ")), "{line}");
    }
    let file = page.split("\n## ").find(|part| part.starts_with("The file\n")).unwrap();
    let named = file.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let keys = named.filter(|name| !name.starts_with('[')).collect::<Vec<_>>();
    assert_eq!(keys.len(), KEYS.len(), "{keys:?}");
    assert!(keys.iter().all(|key| KEYS.iter().any(|(_, one, _)| one == key)), "{keys:?}");
}

#[test]
fn every_key_is_read() {
    let text = "[communication]\ninitial-sleep=1\ncycle-sleep = 2\nport=3\nprograms=4\n\
        [scheduler]\ninitial-optimal-measurements=4\nmin-measuring-diff=5\nmax-measuring-diff=6\ntime-diff-weight=7\nargument-size=deep\nsize-visit-limit=19\nmetaspace-limit=20\nprocessor-jar=:p\nprofile=production\npolicy=paired\nwindow=12\nwindow-overlap=13\nsuspend-restore-after=14\ninstrument-ahead=18\nchanges-per-minute=15\noverhead-budget=5%\n\
        [sampling]\nsettle-time=19\nwarm-up-calls=16\nwarm-up-time=17\ndiscard-disturbed=1\n\
        [controller]\ntasks-file=t\noutput-dir=o\noverwrite-measurements=0\nhuman-readable-measurements=0\nmax-method-measurements=9\nmin-method-measurements=8\nmeasurements-to-flush=10\nrun-mode=measurement\n\
        [evaluator]\nresult-file-path=r\nlimit-p-value=0.01\nmethod=sequential\ncorrection=bh\nequal-within=3%\nrare-calls=20\noverwrite-results=0\nhuman-readable-results=0\narguments-size-scale-base=11\narguments-size-scale=log\n\
        [drill]\nclaims=none\ndrill-time=60000\ndrill-budget=overhead-budget\n";
    let expected = Config {
        initial_sleep: InitialSleep::Fixed(Duration::from_millis(1)),
        cycle_sleep: Duration::from_millis(2),
        port: 3,
        programs: 4,
        argument_size: Sizing::Deep,
        automatic_size: false,
        size_visit_limit: 19,
        metaspace_limit: 20 << 20,
        processor_jar: Some("p".into()),
        tasks_file: "t".into(),
        output_dir: "o".into(),
        overwrite_measurements: false,
        human_measurements: false,
        measurements_to_flush: 10,
        result_file: "r".into(),
        overwrite_results: false,
        numbered: [false; 2],
        human_results: false,
        scheduler: Settings {
            initial_optimal: 4,
            min_diff_ns: 5,
            max_diff_ns: 6,
            weight: 7,
            max_samples: 9,
            min_samples: 8,
            limit_p: 0.01,
            mode: RunMode::Measurement,
            scale: Scale::Logarithmic { base: 11 },
            warm_up: Some(WarmUp { samples: 16, time_ns: 17_000_000 }),
            discard_disturbed: true,
            restore_after_ns: 14_000_000,
            instrument_ahead: 18,
            settle_ns: 19_000_000,
            changes_per_minute: Some(15),
            listening: Settings::LISTENING,
            paired: Some(Paired {
                min_turn_ns: 12_000_000,
                overlap_bound_ns: 13_000_000,
                longest_wait_ns: LONGEST_WAIT_NS,
                owner_decides: true,
            }),
            ..Settings::thesis()
        },
        overhead_budget: Some(0.05),
        judge: Judge::Sequential,
        correction: Correction::BenjaminiHochberg,
        equal_within: 0.03,
        rare_calls: Some(20),
        window: Duration::from_millis(12),
        window_overlap: Duration::from_millis(13),
        // Without claims none fails: the next test has other values.
        drill: Drill::default(),
    };
    assert_eq!(parse(text).unwrap(), expected);
    assert_eq!(text.matches('=').count(), KEYS.len(), "a key is missing here");
}

#[test]
fn a_drill_has_a_budget_of_its_own_or_that_of_the_probes() {
    let drill = |more: &str| parse(&format!("[drill]\nclaims = failed\n{more}")).unwrap();
    let config = drill("drill-time = 21\ndrill-budget = 7%\n");
    let expected =
        Drill { failed: true, longest: Duration::from_millis(21), budget: DrillBudget::Own(Some(0.07)) };
    assert_eq!((config.drills(), config.drill_budget(), &config.drill), (true, Some(0.07), &expected));
    assert_eq!(drill("").drill_budget(), Some(0.01));
    assert_eq!(drill("[scheduler]\noverhead-budget = 3%\n").drill_budget(), Some(0.03));
    assert_eq!(drill("drill-budget = none\n").drill_budget(), None);
    // The thesis has no budget, and its measurements do not contain a drill.
    let thesis = "[scheduler]\nprofile = thesis\n";
    assert_eq!(drill(thesis).drill_budget(), None);
    assert_eq!(drill(&format!("drill-budget = 5%\n{thesis}")).drill_budget(), Some(0.05));
    assert!(!parse("").unwrap().drills());
}

#[test]
fn the_profile_of_the_thesis_has_what_the_thesis_has() {
    let config = parse("[scheduler]\nprofile = thesis\n[evaluator]\nlimit-p-value = 0.01\n").unwrap();
    assert_eq!(config.scheduler, Settings { limit_p: 0.01, ..Settings::thesis() });
    assert_eq!((config.overhead_budget, config.judge), (None, Judge::Welch));
    assert_eq!((config.argument_size, config.automatic_size), (Sizing::Deep, false));
    for (section, key, _) in KEYS.iter().filter(|(_, key, _)| BEYOND_THESIS.contains(key)) {
        let value = [
            ("policy", "paired"),
            ("overhead-budget", "2%"),
            ("method", "welch"),
            ("correction", "holm"),
            ("discard-disturbed", "1"),
            ("equal-within", "2%"),
        ];
        let value = value.iter().find(|(named, _)| named == key).map_or("7", |(_, value)| *value);
        let text = format!("[scheduler]\nprofile = thesis\n[{section}]\n{key} = {value}\n");
        let error = parse(&text).unwrap_err();
        assert!(error.contains(&format!("profile = thesis has no {key}")), "{error}");
    }
}

#[test]
fn settings_show_what_was_changed() {
    let changed = written("[scheduler]\nwindow = 20\nprofile = thesis\n");
    let settings = settings(&changed);
    assert_eq!(settings.len(), KEYS.len());
    let value =
        |key| settings.iter().find(|setting| setting.key == key).map(|setting| setting.value.as_str());
    assert_eq!((value("window"), value("policy")), (Some("20"), Some("off: profile = thesis")));
    assert_eq!(value("argument-size"), Some("deep"));
    assert_eq!(value("limit-p-value"), Some("0.05"));
}

#[test]
fn windows_and_budgets() {
    let error = parse("[scheduler]\npolicy = delay\n[evaluator]\nmethod = sequential\n").unwrap_err();
    assert!(error.contains("policy = delay"), "{error}");
    assert_eq!(parse("[scheduler]\npolicy = delay\n").unwrap().judge, Judge::Welch);
    let welch = parse("[evaluator]\nmethod = welch\n").unwrap();
    assert_eq!(welch.scheduler.paired.map(|paired| paired.owner_decides), Some(false));
    let most = |text: &str| parse(text).unwrap().scheduler.max_samples;
    let settles_ms = |text: &str| parse(text).unwrap().scheduler.settle_ns / 1_000_000;
    assert_eq!((most(""), settles_ms("")), (100_000, 0));
    let shown = |text: &str, key: &str| {
        let all = settings(&written(text));
        all.into_iter().find(|one| one.key == key).map(|one| one.value)
    };
    for text in [
        "[evaluator]\nmethod = welch\n",
        "[scheduler]\npolicy = delay\n",
        "[controller]\nrun-mode = measurement\n",
    ] {
        assert_eq!(most(text), 10_000, "one test at the end needs no more: {text}");
        assert_eq!(shown(text, "max-method-measurements").as_deref(), Some("10000"), "{text}");
        assert_eq!(settles_ms(text), 500, "{text}");
        assert_eq!(shown(text, "settle-time").as_deref(), Some("500"), "{text}");
        assert_eq!(settles_ms(&format!("{text}[sampling]\nsettle-time = 7\n")), 7);
        assert_eq!(most(&format!("{text}[controller]\nmax-method-measurements = 7\n")), 7);
    }
    assert_eq!(parse("[scheduler]\noverhead-budget = none\n").unwrap().overhead_budget, None);
    assert!(parse("[scheduler]\noverhead-budget = 1\n").unwrap_err().contains("as in 1%"));
    assert!(parse("[scheduler]\noverhead-budget = 0%\n").is_err());
}

#[test]
fn mistakes_name_their_place_and_a_remedy() {
    let check = |text: &str, expected: &str| assert_eq!(parse(text).unwrap_err(), expected, "{text}");
    check(
        "[scheduler]\n\nmin-mesuring-diff = 1\n",
        "f.ini:3: unknown key \"min-mesuring-diff\" in section [scheduler]: did you mean \"min-measuring-diff\"?",
    );
    check("[controller]\nport = 1\n", "f.ini:2: port belongs to section [communication], not [controller]");
    check(
        "[scheduler]\nargument-size = big\n",
        "f.ini:2: argument-size = \"big\": expected one of auto, nocheck, sizeof, deep, length",
    );
    check(
        "[evaluator]\narguments-size-scale-base = 0\n[communication]\nport = x\n",
        "f.ini:2: arguments-size-scale-base = \"0\": a logarithmic scale needs a base of at least 2, not 0\n\
         f.ini:4: port = \"x\": expected a port from 0 to 65535",
    );
    assert!(parse("[scheduler\n").unwrap_err().starts_with("f.ini:"));
}
