//! The methods of a drill that ran, by the table of methods alone.

use crate::fault::Fault;
use crate::rows::METHODS;
use crate::table::Table;

/// A method that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its name as in a task file: `pkg/Class.name(descriptor)`.
    pub name: String,
    /// Calls.
    pub calls: u64,
    /// Executed bytecodes in itself: at least, and at most.
    pub bytecodes: (u64, u64),
    /// Blocks that ran, and all that can.
    pub blocks: (u64, u64),
    /// Why its counts may not be exact; empty for exact ones.
    pub doubt: String,
}

/// The methods that ran, those with most bytecodes first.
///
/// # Errors
/// When the table is damaged.
pub fn ran(methods: &[u8]) -> Result<Vec<Ran>, Fault> {
    let columns = ["method", "calls", "bytecodes", "bytecodes_at_least", "blocks_run", "blocks", "doubt"];
    let (mut table, mut all) = (Table::read(METHODS, methods, &columns)?, Vec::new());
    while let Some(row) = table.next()? {
        let one = Ran {
            name: row.text(0).into_owned(),
            calls: row.count(1)?,
            bytecodes: (row.count(3)?, row.count(2)?),
            blocks: (row.count(4)?, row.count(5)?),
            doubt: row.text(6).into_owned(),
        };
        if one.calls > 0 || one.bytecodes.1 > 0 {
            all.push(one);
        }
    }
    all.sort_by(|one, other| other.bytecodes.1.cmp(&one.bytecodes.1).then_with(|| one.name.cmp(&other.name)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_with_most_bytecodes_come_first() {
        let head =
            "method,calls,bytecodes,bytecodes_at_least,blocks_run,blocks,thrown_out,from_start,doubt\n";
        let table =
            format!("{head}A.f()V,3,9,7,1,2,0,1,\nA.g()V,0,0,0,0,2,0,1,\nA.h()V,1,20,20,2,2,0,1,late\n");
        let all = ran(table.as_bytes()).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["A.h()V", "A.f()V"]);
        assert_eq!((all[1].bytecodes, all[1].blocks, all[0].doubt.as_str()), ((7, 9), (1, 2), "late"));
        assert!(ran(b"method,calls\n").unwrap_err().to_string().contains("no column"));
        assert!(ran(format!("{head}A.f()V,x,9,7,1,2,0,1,\n").as_bytes()).is_err());
    }
}
