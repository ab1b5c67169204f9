//! Calls that run while their class is changed lose file and line in stack traces; a message names the calls
//! that go on.

use crate::harness;
use spl_model::Sizing;
use spl_overhead::{Door, Program, Session};
use spl_wire::ToController;

fn warnings(agent: &Session) -> Vec<&str> {
    fn text(said: &ToController) -> Option<&str> {
        if let ToController::Warning { text } = said { Some(text) } else { None }
    }
    agent.said.iter().filter_map(text).collect()
}

#[test]
fn calls_that_go_on_while_their_class_is_changed_are_told() {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    let mut program = Program::start(&harness::java(), [&*option, "-cp", &classes, "Deep"]).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    // The parser's class is loaded by its first use; nothing of it runs afterwards.
    program.tell("parse 512 1").unwrap();
    agent.line_of(&mut program).unwrap();
    agent.define(1, "Deep$Parser.term()I", Sizing::None).unwrap();
    agent.instrument(&[1]).unwrap();
    agent.define(2, "Deep.plain(I)I", Sizing::None).unwrap();
    agent.instrument(&[2]).unwrap();
    let is_warning = |said: &ToController| matches!(said, ToController::Warning { .. });
    agent.await_said("a warning", is_warning).unwrap();
    let expected = "Deep.main in thread \"main\" was running when its class was changed: until it returns, stack traces say \
                    Unknown Source there";
    assert_eq!(warnings(&agent), [expected]);
    agent.restore(&[1, 2]).unwrap();
    program.end().unwrap();
}

#[test]
fn a_program_with_many_threads_is_not_stopped_to_look_at_them() {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let log = door.path().with_file_name("safepoints");
    let log_option = format!("-Xlog:safepoint*:file={}", log.display());
    let options = [&*door.option(&harness::agent()), &log_option, "-cp", &classes, "Crowd", "1000"];
    let mut program = Program::start(&harness::java(), options).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    agent.define(1, "Crowd.main([Ljava/lang/String;)V", Sizing::None).unwrap();
    agent.instrument(&[1]).unwrap();
    // One is enough for all classes.
    agent.define(2, "java/io/FileInputStream.read()I", Sizing::None).unwrap();
    agent.instrument(&[2]).unwrap();
    let [warning] = warnings(&agent)[..] else { panic!("{:?}", agent.said) };
    assert!(warning.starts_with("which calls run meanwhile is not known: the program has 1"), "{warning}");
    assert!(warning.ends_with(" threads, more than 1000"), "{warning}");
    program.end().unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("RedefineClasses") && !log.contains("GetAllStackTraces"), "{log}");
}
