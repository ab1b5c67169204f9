//! Price of a change of one class, computed from its constant pool and its code before the change.

use std::collections::BTreeMap;

/// Bytes of a lambda or method reference that is linked again and runs hot. Its hidden class takes 1,700 to
/// 2,700, and the JVM keeps up to as much about its methods when it compiles them: 2,200 to 4,300 in all on
/// JDK 17, 21 and 25.
const LAMBDA_BYTES: u64 = 4_800;
/// Bytes of a string concatenation, whose code the JVM shares between all of one shape: 100 to 680.
const CONCAT_BYTES: u64 = 1_000;
/// Bytes for each value that a site takes from the stack, such as a captured variable of a lambda: 80 to 110.
const ARGUMENT_BYTES: u64 = 120;
/// JDK 11 takes up to 1/`MORE_BY_11` of a site's price in addition: each old class has a chunk of metaspace
/// to itself.
const MORE_BY_11: u64 = 4;
/// Most bytes that a change copies and keeps for each byte of the class file. On JDK 17, 21 and 25 it keeps 0
/// to 0.5, and as much again allows for copies that are freed late. JDK 11 takes 1.2 to 4.2 and frees them
/// when it next unloads classes.
const COPIED: u64 = 1;
const COPIED_BY_11: u64 = 5;
/// Bytes of lambdas for each change from which on a class keeps its probes behind closed gates: 20 lambdas.
const DEAR_BYTES: u64 = 20 * LAMBDA_BYTES;
/// Prefix of the names of string concatenations (`java.lang.invoke.StringConcatFactory`).
const CONCAT: &[u8] = b"makeConcat";

/// Price of a change of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// Bytes taken when the program next runs `invokedynamic` instructions and uses dynamic constants, which
    /// are linked again.
    pub link_bytes: u64,
    /// Bytes of the class file.
    pub file_bytes: u64,
}

impl Price {
    /// Price of a class with these constant pool entries (JVMS 4.4), which take a third of its file or more.
    /// `calls` returns, for each `invokedynamic` instruction of its code, the index of its constant: several
    /// may share one, and each is linked separately. It is called only if there are such constants.
    pub fn of_pool(entries: &[u8], calls: impl FnOnce() -> Vec<u16>) -> Self {
        let pool = Pool::of(entries);
        let site = |index: &u16| pool.site_bytes(*index);
        let constants: u64 = pool.constants.iter().map(site).sum();
        let mut sites: u64 = pool.sites.iter().map(site).sum();
        if sites > 0 {
            // At least the price of the constants, in case the code cannot be read.
            sites = sites.max(calls().iter().map(site).fold(0, u64::saturating_add));
        }
        Self {
            link_bytes: constants.saturating_add(sites),
            file_bytes: (entries.len() as u64).saturating_mul(3),
        }
    }

    /// Bytes taken when the program runs the sites again; `by_11` if the JVM is older than JDK 15.
    pub(super) fn later(self, by_11: bool) -> u64 {
        self.link_bytes.saturating_add(if by_11 { self.link_bytes / MORE_BY_11 } else { 0 })
    }

    /// Bytes that a change takes, including later links.
    pub(super) fn cost(self, by_11: bool) -> u64 {
        let copied = if by_11 { COPIED_BY_11 } else { COPIED };
        self.later(by_11).saturating_add(self.file_bytes.saturating_mul(copied))
    }

    /// Whether changes of the class should be rare.
    pub fn is_dear(self) -> bool {
        self.link_bytes >= DEAR_BYTES
    }
}

/// The parts of a constant pool that determine the price.
#[derive(Default)]
struct Pool<'a> {
    texts: BTreeMap<u16, &'a [u8]>,
    /// Indices of name and type, by entry.
    named: BTreeMap<u16, [u16; 2]>,
    /// Index of the name and type, by dynamic constant or site.
    dynamic: BTreeMap<u16, u16>,
    constants: Vec<u16>,
    sites: Vec<u16>,
}

impl<'a> Pool<'a> {
    fn of(mut entries: &'a [u8]) -> Self {
        const UTF8: u8 = 1;
        let (mut pool, mut index) = (Self::default(), 1_u16);
        let number = |high: u8, low: u8| u16::from_be_bytes([high, low]);
        while let [tag, rest @ ..] = entries {
            let length = match (*tag, rest) {
                (UTF8, [high, low, text @ ..]) => {
                    let length = usize::from(number(*high, *low));
                    pool.texts.insert(index, text.get(..length).unwrap_or_default());
                    2 + length
                }
                (12, [a, b, c, d, ..]) => {
                    pool.named.insert(index, [number(*a, *b), number(*c, *d)]);
                    4
                }
                (17 | 18, [_, _, a, b, ..]) => {
                    pool.dynamic.insert(index, number(*a, *b));
                    if *tag == 17 { &mut pool.constants } else { &mut pool.sites }.push(index);
                    4
                }
                // Integers, floats, and entries that refer to two other entries.
                (3 | 4 | 9..=11, _) => 4,
                (5 | 6, _) => 8,
                (7 | 8 | 16 | 19 | 20, _) => 2,
                (15, _) => 3,
                _ => break,
            };
            // Longs and doubles take two indices (JVMS 4.4.5).
            index = index.saturating_add(if matches!(tag, 5 | 6) { 2 } else { 1 });
            entries = rest.get(length..).unwrap_or_default();
        }
        pool
    }

    /// Bytes to link the site that this constant describes.
    fn site_bytes(&self, index: u16) -> u64 {
        let named = self.dynamic.get(&index).and_then(|named| self.named.get(named));
        let [name, descriptor] = named.map_or([None; 2], |named| named.map(|index| self.texts.get(&index)));
        let bytes =
            if name.is_some_and(|name| name.starts_with(CONCAT)) { CONCAT_BYTES } else { LAMBDA_BYTES };
        bytes + descriptor.map_or(0, |text| arguments(text)) * ARGUMENT_BYTES
    }
}

/// Number of arguments of a descriptor (JVMS 4.3.3); 0 for a field's descriptor.
fn arguments(descriptor: &[u8]) -> u64 {
    let Some((b'(', mut rest)) = descriptor.split_first() else { return 0 };
    let mut count = 0;
    loop {
        rest = &rest[rest.iter().take_while(|byte| **byte == b'[').count()..];
        rest = match rest {
            [] | [b')', ..] => return count,
            [b'L', ..] => {
                let end = rest.iter().position(|byte| *byte == b';').unwrap_or(rest.len() - 1);
                &rest[end + 1..]
            }
            [_, rest @ ..] => rest,
        };
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool with one site of this name and descriptor in constants 3 to 6, after a long, which takes two
    /// indices.
    fn pool(name: &str, descriptor: &str, tag: u8) -> Vec<u8> {
        let text = |text: &str| [&[1, 0, text.len() as u8], text.as_bytes()].concat();
        [
            &[5, 0, 0, 0, 0, 0, 0, 0, 18][..],
            &text(name),
            &text(descriptor),
            &[12, 0, 3, 0, 4],
            &[tag, 0, 0, 0, 5],
        ]
        .concat()
    }

    #[test]
    fn a_site_costs_by_its_kind_and_by_what_it_captures() {
        let price = |name, descriptor| Price::of_pool(&pool(name, descriptor, 18), || vec![6]).link_bytes;
        assert_eq!(price("applyAsInt", "()Ljava/util/function/IntUnaryOperator;"), LAMBDA_BYTES);
        assert_eq!(price("run", "(ILjava/lang/String;[[JD[LX;)LR;"), LAMBDA_BYTES + 5 * ARGUMENT_BYTES);
        assert_eq!(price("makeConcatWithConstants", "(I)LS;"), CONCAT_BYTES + ARGUMENT_BYTES);
        // Malformed descriptors end the count.
        assert_eq!((arguments(b"(LX"), arguments(b"([["), arguments(b"I"), arguments(b"")), (1, 0, 0, 0));
    }

    #[test]
    fn each_instruction_is_a_site_also_where_many_share_a_constant() {
        let entries = pool("run", "()LR;", 18);
        let price = |calls: Vec<u16>| Price::of_pool(&entries, || calls);
        assert_eq!(price(vec![6; 6003]).link_bytes, 6003 * LAMBDA_BYTES);
        assert_eq!(price(Vec::new()).link_bytes, LAMBDA_BYTES, "code that could not be read");
        assert!(price(vec![6; 20]).is_dear() && !price(vec![6; 19]).is_dear());
        assert_eq!(price(Vec::new()).file_bytes, 3 * entries.len() as u64);
        let none = Price::of_pool(&pool("run", "I", 17), || unreachable!("there is no such constant"));
        assert_eq!(none.link_bytes, LAMBDA_BYTES, "a dynamic constant");
        assert_eq!(
            Price::of_pool(&[1, 255, 255, 0], Vec::new),
            Price { link_bytes: 0, file_bytes: 12 },
            "cut off"
        );
        assert_eq!(Price::of_pool(&[99; 3], Vec::new).link_bytes, 0);
    }
}
