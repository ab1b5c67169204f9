//! The JVM is touched only while it is measured, and only where it is measured: its bytecode before, meanwhile, after.

use crate::case::Case;
use crate::harness::{DEADLINE, poll};
use crate::running::{Running, TEN_SECONDS};
use crate::witness::{Snapshot, Witness, changed};

const METHODS: [&str; 4] = [
    "CompareLoop.fast([I)J",
    "CompareLoop.slow([I)J",
    "java/lang/Integer.compareTo(Ljava/lang/Integer;)I",
    "java/lang/String.hashCode()I",
];
const CLASSES: [&str; 3] = ["CompareLoop", "java/lang/Integer", "java/lang/String"];

/// A program whose bytecode is watched.
struct Watched {
    run: Running,
    witness: Witness,
    original: Snapshot,
    /// Its folder lives as long as the rest.
    _case: Case,
}

impl Watched {
    /// Starts the program and looks at it before the measurement starts. Its calls are long, so that samples are few.
    fn start(case: Case) -> Self {
        let socket = case.path("witness.sock");
        let mut run = case.java(&[&Witness::option(&socket), "CompareLoop", "0", "100000"]);
        run.awaits_agent();
        run.awaits("ready");
        let mut witness = Witness::connect(&socket);
        let original = witness.snapshot(&CLASSES);
        assert!(!run.has_said("the measurement starts"), "{}", run.transcript());
        assert!(METHODS.iter().all(|method| original.contains_key(&method.replacen('(', " (", 1))));
        Self { run, witness, original, _case: case }
    }

    fn changed(&mut self) -> Vec<String> {
        changed(&self.original, &self.witness.snapshot(&CLASSES))
    }

    /// Waits until exactly these methods differ.
    fn awaits_change_of(&mut self, methods: &[&str]) {
        let mut last = Vec::new();
        poll("the probes", DEADLINE, || {
            last = self.changed();
            // Never anything else, however far it has got.
            assert!(last.iter().all(|method| methods.contains(&method.as_str())), "{last:?}");
            (last == methods).then_some(())
        });
    }

    fn assert_original(&mut self) {
        assert_eq!(self.changed(), Vec::<String>::new());
    }
}

fn case() -> Case {
    Case::measuring(&METHODS).endless().set("communication", "initial-sleep", "2000")
}

#[test]
fn an_interrupt_leaves_the_program_running_with_its_own_bytecode() {
    let mut watched = Watched::start(case());
    watched.awaits_change_of(&METHODS);
    watched.run.signal("INT");
    watched.run.awaits("spl: every class is as it was");
    watched.assert_original();
    watched.run.spl_ends_with(Some(0));
    watched.run.awaits("spl: the program goes on");
    let ended = watched.run.ends();
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}

#[test]
fn a_finished_measurement_leaves_the_program_running_with_its_own_bytecode() {
    let methods = &METHODS[..2];
    let case = Case::measuring(methods).set("controller", "max-method-measurements", "400").set(
        "communication",
        "initial-sleep",
        "2000",
    );
    let mut watched = Watched::start(case);
    watched.awaits_change_of(methods);
    watched.run.awaits("spl: every class is as it was");
    watched.assert_original();
    let ended = watched.run.ends();
    ended.assert_status(0);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}

#[test]
fn a_killed_controller_leaves_the_program_running_with_its_own_bytecode() {
    let mut watched = Watched::start(case());
    watched.awaits_change_of(&METHODS);
    watched.run.signal("KILL");
    watched.run.spl_ends_with(None);
    poll("the original bytecode", TEN_SECONDS, || watched.changed().is_empty().then_some(()));
    let ended = watched.run.ends();
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}

#[test]
fn a_terminated_controller_restores_the_program_before_it_ends() {
    let mut watched = Watched::start(case());
    watched.awaits_change_of(&METHODS);
    watched.run.signal("TERM");
    watched.run.spl_ends_with(Some(0));
    watched.assert_original();
    assert!(watched.run.ends().out.ends_with("ended\n"));
}
