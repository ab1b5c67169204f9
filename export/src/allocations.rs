//! The places of methods that made objects and arrays, from their table.

use crate::fault::Fault;
use crate::table::{Row, Table};
use spl_model::arena::SIZE_BINS;
use spl_profile::{Allocated, MadeSizes};
use std::collections::BTreeMap;

/// Name of the table.
pub const ALLOCATIONS: &str = "allocations.csv";

/// The columns that are read: the place, and the sizes.
const COLUMNS: [&str; 5 + SIZE_BINS] = [
    "method",
    "at",
    "object_least",
    "object_most",
    "array_bytes",
    "arrays_16",
    "arrays_24",
    "arrays_32",
    "arrays_40",
    "arrays_48",
    "arrays_80",
    "arrays_144",
    "arrays_400",
    "arrays_more",
];

/// The sizes of what each place made, by the method and the offset of the instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    of_method: BTreeMap<String, BTreeMap<u32, MadeSizes>>,
}

impl Allocations {
    /// Reads the table.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut table = Table::read(ALLOCATIONS, bytes, &COLUMNS)?;
        let mut all = Self::default();
        while let Some(row) = table.next()? {
            let sizes = sizes(&row)?;
            all.put(&row.text(0), row.number(1)?, sizes);
        }
        Ok(all)
    }

    /// Adds the places of a method that was just counted.
    pub fn add(&mut self, method: &str, places: &[Allocated]) {
        for one in places {
            self.put(method, one.at, one.sizes);
        }
    }

    /// The places of a method, which is named as in a task file.
    #[must_use]
    pub fn of(&self, method: &str) -> Option<&BTreeMap<u32, MadeSizes>> {
        self.of_method.get(method)
    }

    /// Adds a place. Classes of one name share their places.
    fn put(&mut self, method: &str, at: u32, sizes: MadeSizes) {
        let places = self.of_method.entry(method.to_owned()).or_default();
        places.entry(at).and_modify(|known| *known = both(*known, sizes)).or_insert(sizes);
    }
}

/// The sizes of a row.
fn sizes(row: &Row<'_>) -> Result<MadeSizes, Fault> {
    let Some(bytes) = row.known(4)? else {
        let sizes = row.known(2)?.zip(row.known(3)?);
        let small = |bytes: u64| u32::try_from(bytes).map_err(|_| row.fault("an object has over 4 GiB"));
        return Ok(MadeSizes::Objects(match sizes {
            Some((least, most)) if least <= most => Some((small(least)?, small(most)?)),
            Some(_) => return Err(row.fault("the least size is greater than the greatest")),
            None => None,
        }));
    };
    let mut numbers = [0; SIZE_BINS];
    for (bin, number) in numbers.iter_mut().enumerate() {
        *number = row.count(5 + bin)?;
    }
    Ok(MadeSizes::Arrays { numbers, bytes })
}

/// The sizes of one place in two classes of a name.
fn both(one: MadeSizes, other: MadeSizes) -> MadeSizes {
    match (one, other) {
        (
            MadeSizes::Arrays { numbers, bytes },
            MadeSizes::Arrays { numbers: more_numbers, bytes: more_bytes },
        ) => MadeSizes::Arrays {
            numbers: std::array::from_fn(|bin| numbers[bin].saturating_add(more_numbers[bin])),
            bytes: bytes.saturating_add(more_bytes),
        },
        (MadeSizes::Objects(Some(one)), MadeSizes::Objects(Some(other))) => {
            MadeSizes::Objects(Some((one.0.min(other.0), one.1.max(other.1))))
        }
        _ => MadeSizes::Objects(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_profile::{ALLOCATIONS_HEAD, allocations_lines};

    fn place(at: u32, sizes: MadeSizes) -> Allocated {
        Allocated { at, block: 0, instruction: "new", class: "a/B,C".to_owned(), executions: 3, sizes }
    }

    #[test]
    fn what_is_written_is_read() {
        let arrays = MadeSizes::Arrays { numbers: [1, 0, 2, 0, 0, 0, 0, 0, 3], bytes: u64::MAX };
        let all = [
            place(0, MadeSizes::Objects(None)),
            place(3, MadeSizes::Objects(Some((16, 24)))),
            place(6, arrays),
        ];
        let mut expected = Allocations::default();
        expected.add("a.B.f()V", &all);
        let table = format!("{ALLOCATIONS_HEAD}{}", allocations_lines("a.B.f()V", &all));
        assert_eq!(Allocations::read(table.as_bytes()), Ok(expected));
        let twice = format!("{table}{}", allocations_lines("a.B.f()V", &all));
        let twice = Allocations::read(twice.as_bytes()).unwrap();
        let doubled = MadeSizes::Arrays { numbers: [2, 0, 4, 0, 0, 0, 0, 0, 6], bytes: u64::MAX };
        assert_eq!(twice.of("a.B.f()V").unwrap()[&6], doubled);
    }

    #[test]
    fn damaged_tables_are_told() {
        let check = |row: &str, part: &str| {
            let fault = Allocations::read(format!("{ALLOCATIONS_HEAD}{row}\n").as_bytes()).unwrap_err();
            assert!(fault.place == "allocations.csv:2" && fault.reason.contains(part), "{fault}");
        };
        check("A.f()V,0,0,new,A,1,16", "7 fields");
        check("A.f()V,x,0,new,A,1,16,16,,,,,,,,,,", "not a number");
        check("A.f()V,0,0,new,A,1,24,16,,,,,,,,,,", "greater than");
        check("A.f()V,0,0,new,A,1,24,4294967296,,,,,,,,,,", "4 GiB");
        check("A.f()V,0,0,newarray,I,1,,,-1,0,0,0,0,0,0,0,0,0", "not a number");
        assert!(Allocations::read(b"").unwrap_err().reason.contains("empty"));
        assert!(Allocations::read(b"method,at\n").unwrap_err().reason.contains("no column"));
    }
}
