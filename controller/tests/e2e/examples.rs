//! The examples of the thesis (3.4.3), run as their readers run them, by `make`.

use crate::case::{has_measurements, read_measurements, read_results};
use crate::harness;
use crate::running::{Ended, Running};
use spl_model::{Bucket, Size};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Starts an example by its Makefile, with its results in `folder`.
fn make(example: &str, arguments: &str, folder: &Path) -> Running {
    harness::agent();
    let mut make = Command::new("make");
    make.args(["-s", "--no-print-directory", "-C"]).arg(harness::root().join("examples").join(example));
    make.arg("run").arg(format!("SPL={}", harness::spl().display()));
    make.arg(format!("JAVA={}", harness::java().display()));
    make.arg(format!("OUT={}", folder.display()));
    make.arg(format!("{}_ARGS={arguments}", example.to_uppercase()));
    make.env("TMPDIR", folder);
    // `make test` may be what runs this.
    for variable in ["MAKEFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "XDG_RUNTIME_DIR", "SPL_SERVER_CONFIG"] {
        make.env_remove(variable);
    }
    Running::start(make, folder)
}

/// Runs an example until all is measured.
fn measure(example: &str) -> (TempDir, Ended) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = make(example, "0", folder.path());
    run.awaits_agent();
    run.awaits("spl: every class is as it was");
    run.line();
    (folder, run.ends())
}

/// Runs an example until some hundred calls of each of these methods are recorded, or all is measured: on a machine that does much
/// else a verdict may take longer.
fn measure_some(example: &str, methods: &[&str]) -> (TempDir, Ended) {
    let folder = tempfile::tempdir().unwrap();
    let mut run = make(example, "0", folder.path());
    run.awaits_agent();
    let files = folder.path().join("measurements");
    harness::poll("some hundred calls or a verdict", harness::DEADLINE, || {
        let enough = methods.iter().all(|method| has_measurements(&files, method, 200));
        (enough || run.has_said("spl: every class is as it was")).then_some(())
    });
    run.line();
    (folder, run.ends())
}

/// The sizes of a method's calls.
fn sizes(folder: &Path, method: &str) -> BTreeSet<Size> {
    let records = read_measurements(&folder.join("measurements"), method);
    assert!(records.len() >= 50, "{} calls of {method}", records.len());
    records.into_iter().map(|record| record.sample.size).collect()
}

/// The example's comparison is true: it holds, of calls of all sizes together, or is undecided where the machine does much else.
fn is_not_refuted(folder: &Path, ended: &Ended) {
    let results = read_results(&folder.join("result.eval"));
    let [result] = &results[..] else { panic!("{results:?}") };
    match &result.evaluation.verdict {
        Ok(verdict) => {
            assert_eq!(result.evaluation.bucket, Bucket::All);
            assert!(verdict.holds, "{verdict:?}");
            ended.assert_status(0);
        }
        // `make` says 2 for any status but 0.
        Err(_) => ended.assert_status(2),
    }
}

#[test]
fn measuring_has_methods_of_many_kinds() {
    let (folder, ended) = measure("measuring");
    ended.assert_status(0);
    let sizes = |method| sizes(folder.path(), method);
    assert_eq!(sizes("measuring/Depot.weights()Ljava/util/List;"), [Size::Value(0)].into());
    // A boolean, a character, a float, and three numbers behind an array's header.
    assert_eq!(sizes("measuring/Parcel.postage(ZCF[I)D"), [Size::Value(1 + 2 + 4 + 32)].into());
    // A string of 24 bytes with an array of 24 ("street 9") or 32 ("street 10"), and two numbers.
    let expected = [Size::Value(24 + 24 + 4 + 8), Size::Value(24 + 32 + 4 + 8)];
    assert_eq!(sizes("measuring/Parcel.<init>(Ljava/lang/String;ID)V"), expected.into());
    for method in [
        "measuring/Depot.receive(Lmeasuring/Parcel;)Z",
        "measuring/Main.describe(Ljava/util/List;Ljava/util/Map;)Ljava/lang/String;",
        "measuring/Depot$Shelf.put(Lmeasuring/Parcel;I)V",
        "measuring/Depot$Shelf.addWeights(Ljava/util/List;)V",
        "java/lang/Integer.compareTo(Ljava/lang/Integer;)I",
    ] {
        assert!(sizes(method).iter().all(|size| matches!(size, Size::Value(1..))), "{method}");
    }
}

#[test]
fn comparing_asks_the_ledgers_for_their_sizes() {
    let methods = ["balance", "audit"].map(|name| format!("comparing/Totals.{name}(Lcomparing/Ledger;)J"));
    let (folder, ended) = measure_some("comparing", &methods.each_ref().map(|name| &**name));
    for method in methods {
        assert_eq!(sizes(folder.path(), &method), [Size::Value(2_000), Size::Value(50_000)].into());
    }
    is_not_refuted(folder.path(), &ended);
}

#[test]
fn processor_has_its_sizes_from_another_jar() {
    let methods = ["sort(Ljava/util/List;)V", "max(Ljava/util/Collection;)Ljava/lang/Object;"];
    let methods = methods.map(|method| format!("java/util/Collections.{method}"));
    let (folder, ended) = measure_some("processor", &methods.each_ref().map(|name| &**name));
    let mut buckets = BTreeSet::new();
    for range in ["100 to 999", "1000 to 9999"] {
        buckets.insert(format!("label:{range} elements in an array"));
        buckets.insert(format!("label:{range} linked elements"));
    }
    let seen = sizes(folder.path(), "java/util/Collections.sort(Ljava/util/List;)V");
    assert_eq!(seen.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), buckets);
    is_not_refuted(folder.path(), &ended);
}

#[test]
fn receivers_fails_where_a_fourth_class_comes_to_a_place() {
    let folder = tempfile::tempdir().unwrap();
    let ended = make("receivers", "", folder.path()).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["spl: 4 claims: 4 hold"]);
    let ended = make("receivers", "net", folder.path()).ends_by_itself();
    // `make` says 2 for any status but 0.
    ended.assert_status(2);
    ended.assert_said(&[
        "spl: 4 claims: 3 hold, 1 fails",
        "no place has three receivers: FAILS (refuted): exact counts; metric(polymorphism.receiverArity[3+], total) = 0: it is 0.5",
    ]);
}

#[test]
fn retransformation_puts_probes_in_and_out_at_each_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = make("retransformation", "600 100", folder.path());
    run.awaits_agent();
    for _ in 0..2 {
        run.line();
        run.awaits_next("spl: java/lang/Integer has probes");
        run.awaits_next("spl: java/lang/Integer.compareTo(Ljava/lang/Integer;)I took ");
        run.line();
        run.awaits_next("spl: java/lang/Integer runs its original bytecode");
        run.awaits_next("program: round ");
    }
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["spl: every class is as it was"]);
}
