//! The structure of damaged class files.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod java;

use spl_classfile::class::{ClassFile, Method};
use spl_classfile::code::Code;
use spl_classfile::frames::{FrameReader, STACK_MAP_TABLE, initial_locals};
use spl_classfile::heads::block_heads;
use spl_classfile::instruction::decode;
use spl_classfile::signature::Signature;
use spl_classfile::tables::{Entry, visit};
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use spl_model::Refusal;

/// Attributes that are read, and instructions of variable length.
const WORDS: [&[u8]; 9] = [
    b"Code",
    b"StackMapTable",
    b"LineNumberTable",
    b"LocalVariableTable",
    b"RuntimeVisibleTypeAnnotations",
    b"RuntimeVisibleAnnotations",
    b"\xaa",
    b"\xab",
    b"\xc4\x84",
];

#[test]
fn no_class_harms_the_reader() {
    let campaign = Campaign {
        name: "classfile",
        seeds: [corpus("classfile"), corpus("bytecode"), java::classes("structure")].concat(),
        words: &WORDS,
        // More mutations would test little but the reader of the constant pool.
        mutations: 2,
        max_bytes: 1 << 16,
        iterations: 20_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(check);
}

fn check(bytes: &[u8], _: &mut Rng) -> u64 {
    let class = match ClassFile::read(bytes) {
        Ok(class) => class,
        Err(refusal) => return outcome(refusal.to_string().len()),
    };
    let methods: Vec<_> = class.methods.iter().map(|method| structure(&class, method).ok()).collect();
    outcome(methods)
}

/// Numbers of blocks, frames and table entries of a method.
fn structure(class: &ClassFile<'_>, method: &Method<'_>) -> Result<[usize; 3], Refusal> {
    let Some(range) = method.code.clone() else { return Ok([0; 3]) };
    let code = Code::read(class.bytes.get(range).unwrap(), &class.pool)?;
    let insns = decode(code.bytes)?;
    let whole: usize = insns.iter().map(|insn| insn.bytes.len()).sum();
    assert_eq!(whole, code.bytes.len(), "the instructions are all of the code");
    let heads = block_heads(&insns, &code.handlers)?;
    assert!(heads.is_sorted_by(|one, next| one < next) && heads.first() == Some(&0));
    assert!(heads.last().is_some_and(|last| *last < insns.len()));
    let (mut frames, mut entries) = (0, 0);
    for table in &code.attributes {
        visit(table.name, table.info, |entry| {
            let (Entry::Offset { at, .. } | Entry::Range { at, .. } | Entry::Handler { at, .. }) = entry;
            assert!(at + 2 <= table.info.len(), "an entry stands in its table");
            entries += 1;
            Ok(())
        })?;
        if table.name == STACK_MAP_TABLE {
            let this = (!method.is_static()).then_some(class.this_class);
            let locals = initial_locals(&Signature::read(method.descriptor)?, this, method.is_constructor());
            let mut reader = FrameReader::new(table.info, locals)?;
            let mut last = None;
            while reader.advance()? {
                assert!(last < Some(reader.at), "frames ascend");
                last = Some(reader.at);
                frames += 1;
            }
        }
    }
    Ok([heads.len(), frames, entries])
}
