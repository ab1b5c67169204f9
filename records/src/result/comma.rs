//! The comma form of a result: 31 fields, the first nine as in the thesis (3.3.2).
//!
//! | field | content |
//! |---|---|
//! | 1-5 | left method, sign, left constant, right constant, right method |
//! | 6 | `holds`, `fails` or `not-evaluated` |
//! | 7 | p-value |
//! | 8, 9 | smaller number of measurements, bucket interval |
//! | 10 | basis |
//! | 11-14 | ratio of the scaled means, its interval's low and high end, the interval's confidence |
//! | 15, 16 | lost samples, `leftover` or nothing |
//! | 17, 18 | number of measurements left, right |
//! | 19-24 | mean left, right; median left, right; standard deviation left, right: scaled, nanoseconds |
//! | 25-29 | t, degrees of freedom, P(T <= t), P(T >= t), two-sided P |
//! | 30 | number of the comparison in the task file, from 1 |
//! | 31 | reason for `not-evaluated` |
//!
//! Fields 7, 10 and 19-29 are empty when not evaluated. 11-14 are then the ratio as far as the calls tell, and are empty when there is
//! none.

use super::parts::{
    FAILS, Figures, HOLDS, NOT_EVALUATED, Parts, ResultRecord, Times, index, parse_basis, parse_reason,
};
use crate::cursor::{Cursor, parse_double};
use crate::error::{Fault, Problem};
use crate::text::{Double, write_field};
use spl_verdict::{Ratio, Verdict, Welch};
use std::fmt::{self, Write};

const FIELDS: usize = 31;
const FIELDS_BEFORE_SIDES: usize = 18;
const FIELDS_OF_SIDES: usize = 11;

pub(super) fn write(record: &ResultRecord, out: &mut impl Write) -> fmt::Result {
    let evaluation = &record.evaluation;
    let verdict = evaluation.verdict.as_ref().ok();
    write_field(out, &record.left.to_string())?;
    write!(out, ",{},{},{},", record.sign, Double(record.left_factor), Double(record.right_factor))?;
    write_field(out, &record.right.to_string())?;
    let result = verdict.map_or(NOT_EVALUATED, |verdict| if verdict.basis.holds() { HOLDS } else { FAILS });
    write!(out, ",{result},")?;
    write_doubles(verdict.map(|verdict| [verdict.p_value]), out)?;
    write!(out, "{},", evaluation.n_smaller())?;
    write_field(out, &evaluation.bucket.to_string())?;
    out.write_char(',')?;
    if let Some(verdict) = verdict {
        write!(out, "{}", verdict.basis)?;
    }
    out.write_char(',')?;
    write_doubles(
        evaluation.ratio().map(|ratio| [ratio.value, ratio.low, ratio.high, ratio.confidence]),
        out,
    )?;
    let leftover = if evaluation.leftover { "leftover" } else { "" };
    write!(out, "{},{leftover},{},{},", evaluation.drops, evaluation.n_left, evaluation.n_right)?;
    write_doubles(verdict.map(figures), out)?;
    write!(out, "{},", evaluation.comparison.saturating_add(1))?;
    if let Err(reason) = &evaluation.verdict {
        write_field(out, &reason.to_string())?;
    }
    out.write_char('\n')
}

/// Each double, or nothing, and a comma.
fn write_doubles<const N: usize>(doubles: Option<[f64; N]>, out: &mut impl Write) -> fmt::Result {
    match doubles {
        Some(doubles) => doubles.into_iter().try_for_each(|double| write!(out, "{},", Double(double))),
        None => (0..N).try_for_each(|_| out.write_char(',')),
    }
}

/// Fields 19-29.
fn figures(verdict: &Verdict) -> [f64; FIELDS_OF_SIDES] {
    let Verdict { left, right, welch, .. } = verdict;
    let Welch { t, df, p_less, p_greater, p_two } = *welch;
    let (means, medians) = ([left.mean_ns, right.mean_ns], [left.median_ns, right.median_ns]);
    let ([m0, m1], [d0, d1]) = (means, medians);
    [m0, m1, d0, d1, left.sd_ns, right.sd_ns, t, df, p_less, p_greater, p_two]
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<ResultRecord, Fault> {
    let fields = Fields::read(cursor)?;
    let factors = (fields.double(2)?, fields.double(3)?);
    let counts = (fields.number(16)?, fields.number(17)?);
    if fields.number(7)? != counts.0.min(counts.1) {
        return Err(fields.fault(7, Problem::Contradiction("the smaller number of measurements")));
    }
    let leftover = match fields.text(15) {
        "leftover" => true,
        "" => false,
        _ => return Err(fields.fault(15, Problem::Expected("leftover, or nothing"))),
    };
    let Ok(sign) = fields.text(1).parse() else {
        return Err(fields.fault(1, Problem::Expected("a sign: <, <=, =, >= or >")));
    };
    let mut so_far = None;
    let verdict = match fields.text(5) {
        NOT_EVALUATED => {
            so_far = fields.ratio()?;
            Err(parse_reason(fields.text(30)).map_err(|problem| fields.fault(30, problem))?)
        }
        HOLDS | FAILS => Ok(fields.figures()?),
        _ => return Err(fields.fault(5, Problem::Expected("holds, fails or not-evaluated"))),
    };
    let parts = Parts {
        comparison: index(fields.number(29)?, fields.0[29].0)?,
        left: fields.parsed(0)?,
        sign,
        factors,
        right: fields.parsed(4)?,
        bucket: fields.parsed(8)?,
        leftover,
        counts,
        drops: fields.number(14)?,
        so_far,
        verdict,
    };
    Ok(parts.into())
}

/// The fields of one record with their offsets, by their place counted from 0.
struct Fields<'a>([(usize, std::borrow::Cow<'a, str>); FIELDS]);

impl<'a> Fields<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Fault> {
        let mut fields = [const { (0, std::borrow::Cow::Borrowed("")) }; FIELDS];
        for (place, field) in fields.iter_mut().enumerate() {
            if place > 0 {
                cursor.comma()?;
            }
            *field = (cursor.at(), cursor.field()?);
        }
        cursor.end_of_line()?;
        Ok(Self(fields))
    }

    fn text(&self, place: usize) -> &str {
        &self.0[place].1
    }

    fn fault(&self, place: usize, problem: impl Into<Problem>) -> Fault {
        Fault::new(self.0[place].0, problem)
    }

    fn parsed<T: std::str::FromStr<Err: Into<Problem>>>(&self, place: usize) -> Result<T, Fault> {
        self.text(place).parse().map_err(|error: T::Err| self.fault(place, error))
    }

    fn number(&self, place: usize) -> Result<u64, Fault> {
        self.text(place).parse().map_err(|_| self.fault(place, Problem::Expected("a number")))
    }

    fn double(&self, place: usize) -> Result<f64, Fault> {
        parse_double(self.text(place)).map_err(|problem| self.fault(place, problem))
    }

    /// Fields 11-14.
    fn ratio(&self) -> Result<Option<Ratio>, Fault> {
        if self.text(10).is_empty() {
            return Ok(None);
        }
        let (low, high, confidence) = (self.double(11)?, self.double(12)?, self.double(13)?);
        Ok(Some(Ratio { value: self.double(10)?, low, high, confidence }))
    }

    fn figures(&self) -> Result<Figures, Fault> {
        let basis = parse_basis(self.text(9)).map_err(|problem| self.fault(9, problem))?;
        if self.text(5) != if basis.holds() { HOLDS } else { FAILS } {
            return Err(self.fault(5, Problem::Contradiction("the result")));
        }
        let mut doubles = [0.0; FIELDS_OF_SIDES];
        for (index, double) in doubles.iter_mut().enumerate() {
            *double = self.double(FIELDS_BEFORE_SIDES + index)?;
        }
        let [m0, m1, d0, d1, s0, s1, t, df, p_less, p_greater, p_two] = doubles;
        Ok(Figures {
            basis,
            p_value: self.double(6)?,
            ratio: self.ratio()?,
            left: Times { mean_ns: m0, median_ns: d0, sd_ns: s0 },
            right: Times { mean_ns: m1, median_ns: d1, sd_ns: s1 },
            welch: Welch { t, df, p_less, p_greater, p_two },
        })
    }
}
