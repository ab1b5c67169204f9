//! Digests of what the rewriter makes of every class of the JDKs at hand, by each kind of workload size. A change of the
//! rewriter that is to change no byte leaves them as they are: `cargo run -p spl-bytecode --example digest`, before and after.

#[path = "../tests/jdk/image.rs"]
#[expect(dead_code, reason = "tests link the classes, too")]
mod image;
#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "tests run more tools")]
mod support;

use hmac_sha256::Hash;
use image::{Class, Jdk, everything};
use spl_bytecode::{Sizes, instrument};

const SIZES: [Sizes; 5] = [Sizes::None, Sizes::Shallow, Sizes::Deep, Sizes::Length, Sizes::Processor];

fn main() {
    for jdk in Jdk::all() {
        let folder = support::folder("digest");
        let classes = jdk.classes(&folder);
        std::fs::remove_dir_all(&folder).expect("the folder is this program's own");
        for sizes in SIZES {
            println!("{} {sizes:?} {}", jdk.version(), digest(&classes, sizes));
        }
    }
}

/// Classes, methods with probes, bytes, and the SHA-256 of names, outcomes and bytes.
fn digest(classes: &[Class], sizes: Sizes) -> String {
    let (mut hash, mut methods, mut bytes) = (Hash::new(), 0, 0);
    for class in classes {
        hash.update(&class.name);
        match instrument(&class.bytes, &everything(&class.bytes, sizes)) {
            Ok(new) => {
                hash.update(&new.bytes);
                bytes += new.bytes.len();
                for (_, outcome) in &new.outcomes {
                    hash.update(format!("{outcome:?}"));
                    methods += usize::from(outcome.is_ok());
                }
            }
            Err(refusal) => hash.update(refusal.to_string()),
        }
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} classes, {methods} methods, {bytes} bytes: {digest}", classes.len())
}
