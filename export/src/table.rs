//! Tables (RFC 4180) of a line for each row, which a line of column heads begins.

use crate::fault::{AGAIN, Fault, OTHER_VERSION};
use std::borrow::Cow;
use std::str::FromStr;

/// A table that is read row by row. Columns are found by their heads, so that later versions may add some.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    name: &'static str,
    rest: &'t str,
    /// Number of the last line that was read, from 1.
    line: usize,
    /// Place of each wanted column.
    columns: Vec<usize>,
    /// All heads.
    heads: Vec<Cow<'t, str>>,
}

/// A row: the fields of the wanted columns, in the order in which they were asked for.
#[derive(Clone, Debug)]
pub(crate) struct Row<'t> {
    table: &'static str,
    line: usize,
    fields: Vec<Cow<'t, str>>,
}

impl<'t> Table<'t> {
    /// Reads the heads of a table with at least these columns.
    pub(crate) fn read(name: &'static str, bytes: &'t [u8], wanted: &[&str]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            Fault::new(format!("{name}:{line}"), "this is not UTF-8", AGAIN)
        })?;
        let mut table = Self { name, rest: text, line: 0, columns: Vec::new(), heads: Vec::new() };
        let heads = table.fields()?.ok_or_else(|| Fault::new(name, "the file is empty", AGAIN))?;
        let place = |column: &&str| {
            heads.iter().position(|head| head == column).ok_or_else(|| {
                Fault::new(format!("{name}:1"), format!("there is no column {column:?}"), OTHER_VERSION)
            })
        };
        table.columns = wanted.iter().map(place).collect::<Result<_, _>>()?;
        table.heads = heads;
        Ok(table)
    }

    /// Whether there is a column that earlier versions did not write. It then follows the wanted ones.
    pub(crate) fn also(&mut self, column: &str) -> bool {
        let place = self.heads.iter().position(|head| head == column);
        self.columns.extend(place);
        place.is_some()
    }

    /// The next row; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'t>>, Fault> {
        let Some(fields) = self.fields()? else { return Ok(None) };
        if fields.len() != self.heads.len() {
            let reason = format!("there are {} fields, and {} column heads", fields.len(), self.heads.len());
            return Err(self.fault(reason));
        }
        let wanted = self.columns.iter().filter_map(|place| fields.get(*place).cloned()).collect();
        Ok(Some(Row { table: self.name, line: self.line, fields: wanted }))
    }

    /// A fault of the last line that was read.
    pub(crate) fn fault(&self, reason: impl std::fmt::Display) -> Fault {
        Fault::new(format!("{}:{}", self.name, self.line), reason, AGAIN)
    }

    /// The fields of the next line.
    fn fields(&mut self) -> Result<Option<Vec<Cow<'t, str>>>, Fault> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        let Some((line, rest)) = self.rest.split_once('\n') else {
            return Err(self.fault("the file is cut short here"));
        };
        self.rest = rest;
        split(line).map(Some).map_err(|reason| self.fault(reason))
    }
}

impl<'t> Row<'t> {
    /// A field as text.
    pub(crate) fn text(&self, column: usize) -> Cow<'t, str> {
        self.fields.get(column).cloned().unwrap_or_default()
    }

    /// A field as a number.
    pub(crate) fn number<N: FromStr>(&self, column: usize) -> Result<N, Fault> {
        let text = self.text(column);
        text.parse().map_err(|_| {
            self.fault(format!("{:?} is not a number of this column", spl_model::one_line(&text)))
        })
    }

    /// A field as a count; an empty one, of what no counter can tell, is 0.
    pub(crate) fn count(&self, column: usize) -> Result<u64, Fault> {
        Ok(self.known(column)?.unwrap_or(0))
    }

    /// A field as a count, `None` for an empty one.
    pub(crate) fn known(&self, column: usize) -> Result<Option<u64>, Fault> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column).map(Some) }
    }

    /// A fault of this row.
    pub(crate) fn fault(&self, reason: impl std::fmt::Display) -> Fault {
        Fault::new(format!("{}:{}", self.table, self.line), reason, AGAIN)
    }
}

/// The fields of a line; no field of a drill's tables has a line break.
fn split(line: &str) -> Result<Vec<Cow<'_, str>>, &'static str> {
    let (mut fields, mut rest) = (Vec::new(), line.strip_suffix('\r').unwrap_or(line));
    loop {
        let field = match rest.strip_prefix('"') {
            Some(quoted) => {
                let end = closing(quoted).ok_or("a quoted field has no end")?;
                let (inside, after) = (&quoted[..end], &quoted[end + 1..]);
                if !after.is_empty() && !after.starts_with(',') {
                    return Err("there is text behind a quoted field");
                }
                rest = after;
                Cow::Owned(inside.replace("\"\"", "\""))
            }
            None => {
                let (field, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                if field.contains('"') {
                    return Err("there is a quote in the middle of a field");
                }
                rest = after;
                Cow::Borrowed(field)
            }
        };
        fields.push(field);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Ok(fields),
        }
    }
}

/// Place of the quote that ends a field, given what follows its first one. A quote in the field is doubled.
fn closing(quoted: &str) -> Option<usize> {
    let bytes = quoted.as_bytes();
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_split_where_the_standard_says() {
        assert_eq!(split("a,b,").unwrap(), ["a", "b", ""]);
        assert_eq!(split("\"a,\"\"b\"\"\",\"\",c\r").unwrap(), ["a,\"b\"", "", "c"]);
        for wrong in ["\"a", "\"a\"b,c", "a\"b", "\"a\"\""] {
            assert!(split(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn columns_are_found_by_their_heads() {
        let mut table = Table::read("t.csv", b"a,more,b\n1,x,2\n", &["b", "a"]).unwrap();
        let row = table.next().unwrap().unwrap();
        assert_eq!((row.number(0), row.count(1)), (Ok(2), Ok(1)));
        assert!(table.next().unwrap().is_none());
    }

    #[test]
    fn faults_name_the_line() {
        let second = |bytes: &[u8]| {
            let mut table = Table::read("t.csv", bytes, &["a"])?;
            table.next()?.map_or(Ok(0), |row| row.number::<u32>(0))
        };
        let check = |bytes: &[u8], place: &str, part: &str| {
            let fault = second(bytes).unwrap_err();
            assert!(fault.place == place && fault.reason.contains(part), "{fault}");
        };
        check(b"", "t.csv", "empty");
        check(b"b\n1\n", "t.csv:1", "no column \"a\"");
        check(b"a,b\n1,2", "t.csv:2", "cut short");
        check(b"a,b\n1\n", "t.csv:2", "1 fields, and 2 column heads");
        check(b"a\n-1\n", "t.csv:2", "not a number");
        check(b"a\n\xff\n", "t.csv:2", "UTF-8");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in proptest::collection::vec("[a,\" é]*", 1..5)) {
            let line: Vec<String> = fields.iter().map(|field| spl_graph::forms::field(field)).collect();
            let line = line.join(",");
            prop_assert_eq!(split(&line).unwrap(), fields);
        }
    }
}
