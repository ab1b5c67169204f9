use super::*;
use spl_model::Pattern;
use std::sync::mpsc::Receiver;
use std::thread;

/// A class file of our own.
const CLASS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/java/lang/SplRecorder.class"));

fn drill(numbers: &'static Mutex<Numbers>, pattern: &str) -> (Drill, Receiver<Drilled>) {
    drill_for(What::Blocks, numbers, pattern)
}

fn drill_for(what: What, numbers: &'static Mutex<Numbers>, pattern: &str) -> (Drill, Receiver<Drilled>) {
    let (sender, said) = channel();
    let scope = Scope { include: vec![Pattern::parse(pattern).unwrap()], ..Scope::default() };
    let (drill, weaver) = Drill::new(what, scope, numbers, move |message| drop(sender.send(message)));
    thread::spawn(weaver);
    (drill, said)
}

fn loading(name: &str) -> Arriving {
    Arriving { from_start: true, ..arriving(name, &renamed()) }
}

fn numbers() -> &'static Mutex<Numbers> {
    Box::leak(Box::default())
}

fn arriving(name: &str, bytes: &[u8]) -> Arriving {
    Arriving { name: name.to_owned(), bytes: bytes.to_vec(), of_jdk: false, from_start: false }
}

#[test]
fn the_same_bytes_have_the_same_numbers_in_every_drill() {
    // The rewriter refuses the class by its own name, so its package is another one here.
    let renamed = renamed();
    let numbers = numbers();
    let (first, said) = drill(numbers, "p.a.*#warm");
    let one = first.transform(arriving("p/a/Recorder", &renamed)).unwrap().expect("it counts");
    let again = first.transform(arriving("p/a/Recorder", &renamed)).unwrap().expect("it counts");
    assert_eq!(one, again);
    let [warm] = &methods_of(&said, renamed.len())[..] else { panic!("one method") };
    assert!(said.try_recv().is_err(), "a class is described once");
    let (second, said) = drill(numbers, "p.a.*");
    second.transform(arriving("p/a/Recorder", &renamed)).unwrap().expect("it counts");
    let all = methods_of(&said, renamed.len());
    assert_eq!(all.iter().find(|one| one.name == "warm"), Some(warm));
    let mut ends: Vec<(u32, u32)> =
        all.iter().map(|one| (one.first, one.first + one.counters.as_ref().unwrap_or(&0))).collect();
    ends.sort_unstable();
    assert!(ends.windows(2).all(|two| two[0].1 <= two[1].0), "no counter has two methods: {ends:?}");
}

#[test]
fn flags_that_are_set_leave_the_code_until_it_is_the_original() {
    let arenas: &'static Arenas = Box::leak(Box::new(Arenas::map().unwrap()));
    let (drill, said) = drill_for(What::Cover(arenas), numbers(), "p.a.*#warm");
    let class = || arriving("p/a/Recorder", &renamed());
    let all = drill.transform(class()).unwrap().expect("it has flags");
    let [warm] = &methods_of(&said, renamed().len())[..] else { panic!("one method") };
    let flags = warm.first..warm.first + warm.counters.clone().unwrap();
    assert!(flags.len() > 2 && drill.stale().is_empty());
    arenas.set(flags.start);
    assert_eq!(drill.stale(), ["p/a/Recorder"]);
    let fewer = drill.transform(class()).unwrap().expect("it has flags");
    assert!(fewer.len() < all.len() && drill.stale().is_empty());
    flags.clone().for_each(|flag| arenas.set(flag));
    assert_eq!((drill.stale(), drill.transform(class())), (vec!["p/a/Recorder".to_owned()], Ok(None)));
    assert!(drill.has_counted("p/a/Recorder"));
    arenas.clear(flags);
    assert_eq!(drill.transform(class()).unwrap(), Some(all), "with the same numbers");
    assert!(said.try_recv().is_err(), "a class is described once");
}

#[test]
fn methods_that_stop_are_left_out_of_the_class() {
    let (drill, said) = drill(numbers(), "p.a.*#warm");
    let class = || arriving("p/a/Recorder", &renamed());
    drill.transform(class()).unwrap().expect("it counts");
    let [warm] = &methods_of(&said, renamed().len())[..] else { panic!("one method") };
    let method = format!("p/a/Recorder.{}{}", warm.name, warm.descriptor);
    assert_eq!(drill.stop(vec![method, "no method".to_owned()]), HashSet::from(["p/a/Recorder".to_owned()]));
    assert_eq!(drill.transform(class()), Ok(None));
}

#[test]
fn what_is_no_class_file_is_left_alone_and_told_once() {
    let (drill, said) = drill(numbers(), "a.**");
    for _ in 0..2 {
        assert_eq!(drill.transform(arriving("a/B", b"no class")), Ok(None));
    }
    assert!(matches!(said.recv().unwrap(), Drilled::Left { name, .. } if name == "a/B"));
    assert!(said.try_recv().is_err() && !drill.has_counted("a/B"));
}

#[test]
fn a_class_that_is_loaded_waits_until_its_description_is_on_the_way() {
    let (mut drill, said) = drill(numbers(), "p.a.*");
    drill.arrived.longest = Duration::from_secs(600);
    thread::scope(|scope| {
        let loads = scope.spawn(|| drill.transform(loading("p/a/Recorder")));
        methods_of(&said, renamed().len());
        assert!(!loads.is_finished(), "it waits");
        drill.described(0);
        assert!(loads.join().unwrap().unwrap().is_some());
    });
    assert!(!drill.arrived.state.lock().unwrap().1);
    // Nobody sends this one; the thread goes on, and the next one does not wait.
    drill.arrived.longest = Duration::from_millis(1);
    assert!(drill.transform(loading("p/a/Other")).unwrap().is_some());
    assert!(drill.arrived.state.lock().unwrap().1);
}

#[test]
fn classes_of_the_probe_are_not_wanted() {
    let (drill, _said) = drill(numbers(), "java.**");
    assert!(!drill.wants("java/lang/SplCounters", true) && !drill.wants("java/lang/SplProbe", true));
    assert!(drill.wants("java/util/ArrayList", true));
}

/// The class file under another name of the same length, so that only the name's bytes differ.
fn renamed() -> Vec<u8> {
    let (old, new) = (b"java/lang/SplRecorder", b"p/a/Recorder_________");
    assert_eq!(old.len(), new.len());
    let mut bytes = CLASS.to_vec();
    let at = bytes.windows(old.len()).position(|part| part == old).expect("its name");
    bytes[at..at + old.len()].copy_from_slice(new);
    bytes
}

fn methods_of(said: &Receiver<Drilled>, bytes: usize) -> Vec<CountedMethod> {
    let Drilled::Counted { methods, length, .. } = said.recv().unwrap() else { panic!("no class") };
    assert_eq!(length as usize, bytes);
    assert!(matches!(said.recv().unwrap(), Drilled::Bytes { .. }));
    methods
}

#[test]
fn a_loaded_class_is_changed_if_a_method_of_it_may_count() {
    let (drill, _said) = drill(numbers(), "p.**#get");
    let declaring = |name: &str, access: u16| vec![(name.to_owned(), "()V".to_owned(), access)];
    let wants = |declared: Vec<_>| drill.wants_one("p/a/B", false, || declared);
    assert!(wants(declaring("get", 0)) && wants(Vec::new()));
    // Abstract, native.
    assert!(
        !wants(declaring("set", 0)) && !wants(declaring("get", 0x0400)) && !wants(declaring("get", 0x0101))
    );
    let (all, _said) = drill_for(What::Blocks, numbers(), "p.**");
    assert!(all.wants_one("p/a/B", false, || unreachable!("no method is asked for")));
}

#[test]
fn a_class_is_told_again_when_one_with_the_same_bytes_counts_late() {
    let (drill, said) = drill(numbers(), "p.a.*");
    let weave = |class| drill.transform(class).unwrap().expect("it counts");
    weave(loading("p/a/Recorder"));
    methods_of(&said, renamed().len());
    // Loaded by another loader, and from its start on; then changed once more, for no reason of ours.
    weave(loading("p/a/Recorder"));
    weave(arriving("p/a/Recorder", &renamed()));
    assert!(said.try_recv().is_err(), "nothing new");
    drill.are_late(HashSet::from(["p/a/Recorder".to_owned()]));
    weave(arriving("p/a/Recorder", &renamed()));
    weave(arriving("p/a/Recorder", &renamed()));
    let Ok(Drilled::Counted { class: 0, from_start: false, .. }) = said.try_recv() else { panic!("told") };
    assert!(said.try_recv().is_err(), "once, and without its bytes");
}
