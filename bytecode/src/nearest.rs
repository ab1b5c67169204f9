//! The methods of a class that an operator may have meant.

use crate::plan::MethodKey;

/// Most methods that are named.
const MOST: usize = 5;
/// Characters of a name that are compared, to bound the work on hostile classes.
const LONGEST: usize = 40;

/// Methods of `known` (name, descriptor) as `name(descriptor)`: methods of the same name first, then the most
/// similar.
pub(crate) fn nearest(wanted: &MethodKey, known: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let distance = |(name, descriptor): (String, String)| {
        let names = edits(&wanted.name, &name);
        (names, edits(&wanted.descriptor, &descriptor), format!("{name}{descriptor}"))
    };
    let mut all: Vec<_> = known.map(distance).filter(|(names, ..)| *names <= wanted.name.len() / 2).collect();
    all.sort();
    all.into_iter().take(MOST).map(|(.., method)| method).collect()
}

/// Levenshtein distance, in characters.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().take(LONGEST).enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let changed = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_comes_first_and_strangers_not_at_all() {
        let wanted = MethodKey { name: "compare".into(), descriptor: "(I)I".into() };
        let known = [
            ("comparf", "(I)I"),
            ("hashCode", "()I"),
            ("compare", "(II)I"),
            ("compare", "(Ljava/lang/Object;)I"),
        ];
        let known = known.map(|(name, descriptor)| (name.to_owned(), descriptor.to_owned()));
        let expected = ["compare(II)I", "compare(Ljava/lang/Object;)I", "comparf(I)I"];
        assert_eq!(nearest(&wanted, known.into_iter()), expected);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
