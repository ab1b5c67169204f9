//! Random code, right and wrong.

use super::invariants::check;
use crate::testing::TestClass;
use crate::{Graph, forms};
use proptest::collection::vec;
use proptest::prelude::*;
use spl_classfile::class::ClassFile;
use spl_classfile::code::Code;

/// An instruction that is to be laid out; targets are chosen among all instructions.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Plain(u8),
    Branch(u8, usize),
    Wide(usize),
    Table(Vec<usize>),
    Lookup(Vec<usize>),
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let target = || any::<usize>();
    // nop, iconst_0, idiv, aaload, return, athrow.
    let plain = prop::sample::select(vec![0x00_u8, 0x03, 0x6c, 0x32, 0xb1, 0xbf]).prop_map(Step::Plain);
    let opcode = prop::sample::select(vec![0x99_u8, 0x9f, 0xa6, 0xa7, 0xc6, 0xc7]);
    let branch = (opcode, target()).prop_map(|(opcode, to)| Step::Branch(opcode, to));
    let several = || vec(target(), 1..4);
    let step = prop_oneof![
        5 => plain,
        4 => branch,
        1 => target().prop_map(Step::Wide),
        1 => several().prop_map(Step::Table),
        1 => several().prop_map(Step::Lookup),
    ];
    vec(step, 0..30)
}

fn length(step: &Step, at: usize) -> usize {
    match step {
        Step::Plain(_) => 1,
        Step::Branch(..) => 3,
        Step::Wide(_) => 5,
        Step::Table(targets) => 1 + (3 - at % 4) + 12 + 4 * targets.len().saturating_sub(1),
        Step::Lookup(targets) => 1 + (3 - at % 4) + 8 + 8 * targets.len().saturating_sub(1),
    }
}

/// The code, and the offsets of its instructions with that of its end. A return is its last.
fn laid_out(steps: &[Step]) -> (Vec<u8>, Vec<usize>) {
    let mut offsets = vec![0];
    for step in steps {
        let at = *offsets.last().unwrap();
        offsets.push(at + length(step, at));
    }
    let mut code = Vec::new();
    for (step, &at) in steps.iter().zip(&offsets) {
        let delta = |target: &usize| offsets[target % offsets.len()] as i32 - at as i32;
        match step {
            Step::Plain(opcode) => code.push(*opcode),
            Step::Branch(opcode, to) => {
                code.extend([&[*opcode], &(delta(to) as i16).to_be_bytes()[..]].concat())
            }
            Step::Wide(to) => code.extend([&[0xc8], &delta(to).to_be_bytes()[..]].concat()),
            Step::Table(targets) | Step::Lookup(targets) => {
                let is_table = matches!(step, Step::Table(_));
                code.push(if is_table { 0xaa } else { 0xab });
                code.resize(at + 1 + (3 - at % 4), 0);
                code.extend(delta(&targets[0]).to_be_bytes());
                let cases = targets.len() as i32 - 1;
                let head = if is_table { vec![5, 4 + cases] } else { vec![cases] };
                head.iter().for_each(|word| code.extend(word.to_be_bytes()));
                for (number, target) in (0_i32..).zip(&targets[1..]) {
                    if !is_table {
                        code.extend((number * 100).to_be_bytes());
                    }
                    code.extend(delta(target).to_be_bytes());
                }
            }
        }
    }
    let end = code.len();
    code.push(0xb1);
    offsets.push(end + 1);
    (code, offsets)
}

/// A table with no cases must not have reversed bounds.
fn without_empty_tables(steps: Vec<Step>) -> Vec<Step> {
    let fixed = |step| match step {
        Step::Table(targets) if targets.len() < 2 => Step::Lookup(targets),
        Step::Plain(_) | Step::Branch(..) | Step::Wide(_) | Step::Table(_) | Step::Lookup(_) => step,
    };
    steps.into_iter().map(fixed).collect()
}

pub(super) fn class_of(steps: Vec<Step>, handlers: &[(usize, usize, usize, bool)]) -> TestClass {
    let (code, offsets) = laid_out(&without_empty_tables(steps));
    let mut class = TestClass::new(&code);
    let caught = class.class("E");
    let instructions = offsets.len() - 1;
    for &(one, other, target, catches_all) in handlers {
        let (one, other) = (one % (instructions + 1), other % (instructions + 1));
        if one != other {
            let range =
                [one.min(other), one.max(other), target % instructions].map(|place| offsets[place] as u16);
            class.handlers.push([range[0], range[1], range[2], if catches_all { 0 } else { caught }]);
        }
    }
    class
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn graphs_say_what_the_instructions_say(
        steps in steps(),
        handlers in vec((any::<usize>(), any::<usize>(), any::<usize>(), prop::bool::weighted(0.3)), 0..5),
    ) {
        let class = class_of(steps, &handlers);
        let bytes = class.bytes();
        let file = ClassFile::read(&bytes).unwrap();
        let graph = Graph::of(&file, &file.methods[0]).unwrap();
        let code = Code::read(&bytes[file.methods[0].code.clone().unwrap()], &file.pool).unwrap();
        check(&graph, code.bytes, &code.handlers);
        prop_assert_eq!(&graph, &Graph::of(&file, &file.methods[0]).unwrap());
    }

    #[test]
    fn damaged_code_never_panics(
        steps in steps(),
        damage in vec((any::<usize>(), any::<u8>()), 0..4),
        handlers in vec([0_u16..40, 0_u16..40, 0_u16..40, 0_u16..9], 0..3),
    ) {
        let (mut code, _) = laid_out(&without_empty_tables(steps));
        for (at, byte) in damage {
            let length = code.len();
            code[at % length] = byte;
        }
        let mut class = TestClass::new(&code);
        class.handlers = handlers;
        let bytes = class.bytes();
        let file = ClassFile::read(&bytes).unwrap();
        if let Ok(graph) = Graph::of(&file, &file.methods[0]) {
            let code = Code::read(&bytes[file.methods[0].code.clone().unwrap()], &file.pool).unwrap();
            check(&graph, code.bytes, &code.handlers);
            for form in [forms::text(&graph), forms::dot(&graph), forms::csv(&graph)] {
                prop_assert!(form.ends_with('\n'));
            }
        }
    }
}
