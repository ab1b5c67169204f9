//! The rewriter's output byte for byte: a change of the rewriter that should change no output keeps these
//! digests.

use super::{constructor, plan};
use crate::instrument;
use crate::testing::{OBJECT_CLASS, OBJECT_INIT, TestMethod};
use hmac_sha256::Hash;
use spl_model::Sizing;

/// Methods that together cover each part of the rewriter.
pub(super) fn methods() -> Vec<TestMethod> {
    let simple = TestMethod::default;
    let call = [0xb7, 0, OBJECT_INIT];
    let every_type = "(IJDFZBCSLjava/lang/String;[JLjava/lang/Object;)Ljava/lang/String;";
    let of = |code: Vec<u8>| TestMethod { code, ..simple() };
    let method = |version, descriptor, code: &[u8]| TestMethod {
        version,
        descriptor,
        code: code.to_vec(),
        max_locals: 16,
        ..simple()
    };
    // 0: iconst_0, 1: ifeq 5, 4: nop, 5: return.
    let branch = vec![0x03, 0x99, 0, 4, 0, 0xb1];
    let mut methods = vec![
        simple(),
        method(52, every_type, &[0x01, 0xb0]),
        method(49, every_type, &[0x01, 0xb0]),
        TestMethod { access: 1, ..method(52, every_type, &[0x01, 0xb0]) },
        TestMethod { max_locals: 300, ..method(50, "(J)J", &[0x1e, 0xad]) },
        method(69, "(D)D", &[0x26, 0xaf]),
        method(52, "(F)F", &[0x22, 0xae]),
        TestMethod { frames: Some(vec![0, 1, 5]), ..of(branch.clone()) },
        of(branch.clone()),
        TestMethod { version: 48, ..of(branch.clone()) },
        TestMethod { code: [vec![0; 8000], vec![0xb1]].concat(), ..simple() },
        // Two returns, and an exception that propagates.
        TestMethod { frames: Some(vec![0, 1, 6]), ..of(vec![0x03, 0x99, 0, 5, 0, 0xb1, 0x01, 0xbf]) },
        // 0: iconst_0, 1: istore_0, 2: return, 3: athrow, under a handler that catches everything.
        TestMethod {
            max_locals: 1,
            handlers: vec![[0, 3, 3]],
            frames: Some(vec![0, 1, 255, 0, 3, 0, 0, 0, 1, 7, 0, OBJECT_CLASS]),
            ..of(vec![0x03, 0x3b, 0xb1, 0xbf])
        },
        // An empty switch over a return.
        TestMethod {
            frames: Some(vec![0, 1, 20]),
            ..of(vec![0x03, 0xaa, 0, 0, 0, 0, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 19, 0xb1])
        },
        constructor(&[&[0x2a, 0x4d, 0x2c][..], &call, &[0xb1]].concat()),
        TestMethod {
            descriptor: "(IJ)V",
            max_locals: 6,
            ..constructor(&[&[0x2a], &call[..], &[0xb1]].concat())
        },
        TestMethod {
            descriptor: "(Ljava/lang/String;)V",
            ..constructor(&[&[0x2a], &call[..], &[0x01, 0x4c, 0xb1]].concat())
        },
        // The region starts with a word on the stack: iconst_0 aload_0 init pop return.
        constructor(&[&[0x03, 0x2a], &call[..], &[0x57, 0xb1]].concat()),
        // aload_0; iconst_0, ifeq: a frame of the object under construction, then its call.
        TestMethod {
            frames: Some(vec![0, 1, 255, 0, 6, 0, 1, 6, 0, 1, 6]),
            ..constructor(&[&[0x2a, 0x03, 0x99, 0, 4, 0], &call[..], &[0xb1]].concat())
        },
    ];
    methods.extend(widened());
    methods
}

/// Methods with conditional branches out of reach, with frames and without.
fn widened() -> Vec<TestMethod> {
    let mut code = vec![0x03, 0x99, 0x7f, 0xfe];
    code.resize(32765, 0);
    code.extend([0xb1, 0, 0xb1]);
    let of = |code, frames: Vec<u8>| TestMethod { code, frames: Some(frames), ..TestMethod::default() };
    let with = of(code.clone(), vec![0, 3, 4, 251, 0x7f, 0xf9, 0]);
    let without = of(code.clone(), vec![0, 2, 251, 0x7f, 0xfe, 0]);
    let old = TestMethod { version: 49, frames: None, ..with.clone() };
    // A constructor, after its call: the file lacks the frames of the region and after the condition.
    let mut code = vec![0x2a, 0xb7, 0, OBJECT_INIT, 0x03, 0x99, 0x7f, 0xfe];
    code.resize(32769, 0);
    code.extend([0xb1, 0, 0xb1]);
    let frames = vec![0, 2, 255, 0x80, 2, 0, 1, 7, 0, 2, 0, 0, 0];
    let constructor = TestMethod { access: 1, name: "<init>", max_locals: 3, ..of(code, frames) };
    vec![with, without, old, constructor]
}

/// For each kind of size: the number of instrumented methods, and the SHA-256 over the classes, each preceded
/// by its length.
const EXPECTED: [(Sizing, usize, &str); 5] = [
    (Sizing::None, 23, "c60887b5368db68c9ce0d3b6fa2211ced690945a8522b76b2b8574c302a833c6"),
    (Sizing::Shallow, 23, "fb24c4ab7e7f91329707fa23829aee498b364bae0e28f7034b3e61ab2782aa8c"),
    (Sizing::Deep, 23, "9b894835c79aca792ebb8e915505ff3d29b03161a631f1cc8610defc2d5920b2"),
    (Sizing::Length, 23, "37e2591f9883e0dd895525a6a3b6fb18351f8618f154273f05ccd265f5592903"),
    (
        Sizing::Processor(String::new()),
        23,
        "91ccbd886d4bcde1e230339be0ac41455b48eca5cef8049854ae9ddc50dd52ee",
    ),
];

#[test]
fn the_bytes_are_those_that_they_were() {
    let found = EXPECTED.map(|(sizing, ..)| {
        let (mut hash, mut instrumented) = (Hash::new(), 0);
        for method in methods() {
            let new = instrument(&method.class_file(), &plan(&method, sizing.clone())).unwrap();
            instrumented += usize::from(new.outcomes[0].1.is_ok());
            hash.update((new.bytes.len() as u64).to_be_bytes());
            hash.update(&new.bytes);
        }
        let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (sizing, instrumented, digest)
    });
    assert_eq!(
        found,
        EXPECTED.map(|(sizing, instrumented, digest)| (sizing, instrumented, digest.to_owned()))
    );
}
