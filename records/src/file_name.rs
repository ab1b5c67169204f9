//! File names of measurements (thesis 3.3.2).

use spl_model::{MethodRef, fnv1a_128};
use std::collections::{HashMap, HashSet};

/// The longest file name, in bytes: common file systems take 255, and a name may get a suffix while it is
/// written.
const MAX_BYTES: usize = 200;
const EXTENSION: &str = ".msr";
/// `-` and 32 hexadecimal digits.
const HASH_BYTES: usize = 33;

/// The measurement file of each method of a run, in the order of `methods`.
///
/// A name is the method as it is written in a task file with `/`, `<` and `>` replaced by dots, and `.msr`
/// (thesis 3.3.2). A name over 200 bytes is cut, and a hash of the method is added. So it is where the
/// replacement makes one name of several methods: no two methods share a file. The same set of methods always
/// has the same names.
///
/// ```
/// # use spl_records::measurement_files;
/// let methods = ["p/C.<init>(I)V".parse()?, "p/C.f()Ljava/util/List;".parse()?];
/// assert_eq!(measurement_files(&methods), ["p.C..init.(I)V.msr", "p.C.f()Ljava.util.List;.msr"]);
/// # Ok::<(), spl_model::MethodError>(())
/// ```
#[must_use]
pub fn measurement_files(methods: &[MethodRef]) -> Vec<String> {
    let mut users: HashMap<String, HashSet<&MethodRef>> = HashMap::new();
    for method in methods {
        users.entry(plain(method)).or_default().insert(method);
    }
    let name = |method: &MethodRef| {
        let name = plain(method);
        let shared = users.get(&name).is_some_and(|users| users.len() > 1);
        if shared || name.len() + EXTENSION.len() > MAX_BYTES { hashed(name, method) } else { name }
    };
    methods.iter().map(|method| name(method) + EXTENSION).collect()
}

fn plain(method: &MethodRef) -> String {
    method.to_string().replace(['/', '<', '>'], ".")
}

/// A plain name ends in a descriptor's upper-case letter or semicolon, a hashed one in a lower-case
/// hexadecimal digit: they never meet.
fn hashed(mut name: String, method: &MethodRef) -> String {
    let room = MAX_BYTES - EXTENSION.len() - HASH_BYTES;
    let end = (0..=room.min(name.len())).rev().find(|&end| name.is_char_boundary(end));
    name.truncate(end.unwrap_or(0));
    format!("{name}-{:032x}", fnv1a_128(method.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(methods: &[&str], expected: &[&str]) {
        let methods: Vec<MethodRef> = methods.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(measurement_files(&methods), expected);
    }

    #[test]
    fn names_are_the_thesis_s() {
        check(
            &["java/lang/Integer.compareTo(Ljava/lang/Integer;)I", "A$B.<clinit>()V"],
            &["java.lang.Integer.compareTo(Ljava.lang.Integer;)I.msr", "A$B..clinit.()V.msr"],
        );
    }

    #[test]
    fn methods_that_would_share_a_name_get_a_hash() {
        check(
            &["a/b<.f()V", "a/b.f(La/b;)V", "a<b.f(La/b;)V", "a/b.f(La/b;)V"],
            &[
                "a.b..f()V.msr",
                "a.b.f(La.b;)V-0ef1a882e74ff88b3cf0f59eadefbda1.msr",
                "a.b.f(La.b;)V-26d7c3c8006dc7a8a5e3dce939eee80e.msr",
                "a.b.f(La.b;)V-0ef1a882e74ff88b3cf0f59eadefbda1.msr",
            ],
        );
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let method = |end: &str| format!("p/{}.f(L{end};)V", "ž".repeat(120)).parse().unwrap();
        let names = measurement_files(&[method("A"), method("B")]);
        assert!(names.iter().all(|name| (199..=200).contains(&name.len())), "{names:?}");
        assert_ne!(names[0], names[1]);
        let longest = |extra: usize| format!("{}.f()V", "x".repeat(191 - extra));
        let name = |method: &str| measurement_files(&[method.parse().unwrap()]).remove(0);
        assert_eq!(name(&longest(0)), longest(0) + ".msr");
        assert_eq!(longest(0).len() + 4, 200);
        assert_ne!(name(&format!("x{}", longest(0))), format!("x{}.msr", longest(0)));
    }

    proptest! {
        #[test]
        fn no_two_methods_share_a_file(methods in proptest::collection::hash_set("[a/<>]{1,4}", 2..12)) {
            let methods: Vec<MethodRef> =
                methods.iter().filter_map(|class| MethodRef::new(class, "f", "()V").ok()).collect();
            let names: HashSet<String> = measurement_files(&methods).into_iter().collect();
            prop_assert_eq!(names.len(), methods.len());
            prop_assert!(names.iter().all(|name| !name.contains(['/', '<', '>'])));
        }
    }
}
