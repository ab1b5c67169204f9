//! The human-readable form of a result: a few lines and an empty one.
//!
//! ```text
//! comparison 1: p/A.f()V <= (2, 1) p/B.g()V
//!   holds (not-refuted), p-value 0.31
//!   sizes [0, 100), leftover, lost samples 0
//!   ratio 0.98, from 0.95 to 1.01 with confidence 0.95
//!   left: 50 measurements, mean 240.5 ns, median 238 ns, deviation 3.25 ns
//!   right: 60 measurements, mean 245 ns, median 244 ns, deviation 4.5 ns
//!   t -0.5, df 97.3, P(less) 0.31, P(greater) 0.69, P(different) 0.62
//! ```
//!
//! The constants stand there when one of them isn't 1, `leftover` only when it is true; a ratio that isn't
//! defined is `-`. A label is `label:` and a JSON string. A comparison without a verdict has the reason in
//! place of the p-value, `not evaluated: "…"`, and neither times nor test; its ratio is that of the calls so far, and its line is left
//! out where there is none.

use super::parts::{FAILS, Figures, HOLDS, Parts, ResultRecord, Times, index, parse_basis, parse_reason};
use crate::cursor::Cursor;
use crate::error::{Fault, Problem};
use crate::text::{Double, write_quoted};
use spl_model::{Bucket, FieldType, MethodRef, Sign};
use spl_verdict::{Ratio, Verdict, Welch};
use std::fmt::{self, Write};

pub(super) const TITLE: &str = "# spl results ";
pub(super) const VERSION: u64 = 1;
pub(super) const HEADER: &str = "# spl results 1\n\
    # times: nanoseconds, multiplied by the comparison's constants; ratio: left mean over right mean\n";

pub(super) fn write(record: &ResultRecord, out: &mut impl Write) -> fmt::Result {
    let evaluation = &record.evaluation;
    write!(out, "\ncomparison {}: ", evaluation.comparison.saturating_add(1))?;
    write!(out, "{} {} ", record.left, record.sign)?;
    if (record.left_factor, record.right_factor) != (1.0, 1.0) {
        write!(out, "({}, {}) ", Double(record.left_factor), Double(record.right_factor))?;
    }
    writeln!(out, "{}", record.right)?;
    match &evaluation.verdict {
        Ok(verdict) => {
            let result = if verdict.basis.holds() { HOLDS } else { FAILS };
            writeln!(out, "  {result} ({}), p-value {}", verdict.basis, Double(verdict.p_value))?;
        }
        Err(reason) => {
            out.write_str("  not evaluated: ")?;
            write_quoted(out, &reason.to_string())?;
            out.write_char('\n')?;
        }
    }
    out.write_str("  sizes ")?;
    match &evaluation.bucket {
        Bucket::Label(label) => {
            out.write_str("label:")?;
            write_quoted(out, label)?;
        }
        Bucket::All | Bucket::Range { .. } => write!(out, "{}", evaluation.bucket)?,
    }
    writeln!(
        out,
        "{}, lost samples {}",
        if evaluation.leftover { ", leftover" } else { "" },
        evaluation.drops
    )?;
    let Ok(verdict) = &evaluation.verdict else {
        if evaluation.so_far.is_some() {
            write_ratio(evaluation.so_far, out)?;
        }
        writeln!(out, "  left: {} measurements", evaluation.n_left)?;
        return writeln!(out, "  right: {} measurements", evaluation.n_right);
    };
    write_ratio(verdict.ratio, out)?;
    write_side("left", evaluation.n_left, Times::of(&verdict.left), out)?;
    write_side("right", evaluation.n_right, Times::of(&verdict.right), out)?;
    write_test(verdict, out)
}

/// The beginning of the line with the ratio.
const RATIO: &str = "  ratio ";

fn write_ratio(ratio: Option<Ratio>, out: &mut impl Write) -> fmt::Result {
    let Some(Ratio { value, low, high, confidence }) = ratio else { return writeln!(out, "{RATIO}-") };
    let (value, low, high, confidence) = (Double(value), Double(low), Double(high), Double(confidence));
    writeln!(out, "{RATIO}{value}, from {low} to {high} with confidence {confidence}")
}

fn write_side(name: &str, n: u64, times: Times, out: &mut impl Write) -> fmt::Result {
    let (mean, median, sd) = (Double(times.mean_ns), Double(times.median_ns), Double(times.sd_ns));
    writeln!(out, "  {name}: {n} measurements, mean {mean} ns, median {median} ns, deviation {sd} ns")
}

fn write_test(verdict: &Verdict, out: &mut impl Write) -> fmt::Result {
    let Welch { t, df, p_less, p_greater, p_two } = verdict.welch;
    write!(out, "  t {}, df {}, P(less) {}, ", Double(t), Double(df), Double(p_less))?;
    writeln!(out, "P(greater) {}, P(different) {}", Double(p_greater), Double(p_two))
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<ResultRecord, Fault> {
    cursor.literal("comparison ")?;
    let number_at = cursor.at();
    let comparison = cursor.number()?;
    cursor.literal(": ")?;
    let left = read_method(cursor)?;
    cursor.literal(" ")?;
    let sign_at = cursor.at();
    let Some(sign) = signs().find(|sign| cursor.try_literal(sign.as_str())) else {
        return Err(Fault::expected(sign_at, "a sign: <, <=, =, >= or >"));
    };
    cursor.literal(" ")?;
    let factors = read_factors(cursor)?;
    let right = cursor.method_line()?.as_ref().clone();
    cursor.end_of_line()?;
    let result = read_result(cursor)?;
    cursor.literal("  sizes ")?;
    let bucket = read_bucket(cursor)?;
    let leftover = cursor.try_literal(", leftover");
    cursor.literal(", lost samples ")?;
    let drops = cursor.number()?;
    cursor.end_of_line()?;
    let mut so_far = None;
    let (counts, verdict) = match result {
        Err(reason) => {
            if cursor.line().starts_with(RATIO.as_bytes()) {
                so_far = read_ratio(cursor)?;
            }
            let n_left = read_count("  left: ", cursor)?;
            cursor.end_of_line()?;
            let n_right = read_count("  right: ", cursor)?;
            cursor.end_of_line()?;
            ((n_left, n_right), Err(reason))
        }
        Ok((basis, p_value)) => {
            let ratio = read_ratio(cursor)?;
            let (n_left, left) = read_side("  left: ", cursor)?;
            let (n_right, right) = read_side("  right: ", cursor)?;
            let welch = read_test(cursor)?;
            ((n_left, n_right), Ok(Figures { basis, p_value, ratio, left, right, welch }))
        }
    };
    let comparison = index(comparison, number_at)?;
    let parts =
        Parts { comparison, left, sign, factors, right, bucket, leftover, counts, drops, so_far, verdict };
    Ok(parts.into())
}

/// A method in the middle of a line. Class names may hold nearly any character, so only the descriptor, with
/// its parentheses and a complete return type, tells where the method ends.
fn read_method(cursor: &mut Cursor<'_>) -> Result<MethodRef, Fault> {
    let begin = cursor.at();
    let line = str::from_utf8(cursor.line()).map_err(|_| Fault::new(begin, Problem::NotUtf8))?;
    let length = || {
        let (_, result) = line.split_once(')')?;
        let rest = result.strip_prefix('V').or_else(|| FieldType::take(result).map(|(_, rest)| rest))?;
        Some(line.len() - rest.len())
    };
    let length = length().ok_or_else(|| Fault::expected(begin, "a method: pkg/Class.name(I)V"))?;
    let method = line[..length].parse().map_err(|error: spl_model::MethodError| Fault::new(begin, error))?;
    cursor.move_to(begin + length);
    Ok(method)
}

/// A method begins with no parenthesis, so that these can only be those of the constants.
fn read_factors(cursor: &mut Cursor<'_>) -> Result<(f64, f64), Fault> {
    if !cursor.try_literal("(") {
        return Ok((1.0, 1.0));
    }
    let left = cursor.double()?;
    cursor.literal(", ")?;
    let right = cursor.double()?;
    cursor.literal(") ")?;
    Ok((left, right))
}

type Reason = spl_verdict::NotEvaluated;

fn read_result(cursor: &mut Cursor<'_>) -> Result<Result<(spl_verdict::Basis, f64), Reason>, Fault> {
    if cursor.try_literal("  not evaluated: ") {
        let at = cursor.at();
        let reason = parse_reason(&cursor.quoted()?).map_err(|problem| Fault::new(at, problem))?;
        cursor.end_of_line()?;
        return Ok(Err(reason));
    }
    cursor.literal("  ")?;
    let at = cursor.at();
    let holds = cursor.try_literal(HOLDS);
    if !holds {
        cursor.literal(FAILS)?;
    }
    cursor.literal(" (")?;
    let basis_at = cursor.at();
    let text = str::from_utf8(cursor.line()).unwrap_or_default();
    let text = text.split_once(')').map_or(text, |(basis, _)| basis);
    cursor.move_to(basis_at + text.len());
    cursor.literal("), p-value ")?;
    let p_value = cursor.double()?;
    cursor.end_of_line()?;
    let basis = parse_basis(text).map_err(|problem| Fault::new(basis_at, problem))?;
    if basis.holds() != holds {
        return Err(Fault::new(at, Problem::Contradiction("the result")));
    }
    Ok(Ok((basis, p_value)))
}

fn read_bucket(cursor: &mut Cursor<'_>) -> Result<Bucket, Fault> {
    if cursor.try_literal("label:") {
        return cursor.quoted().map(Bucket::Label);
    }
    if cursor.try_literal("-") {
        return Ok(Bucket::All);
    }
    cursor.literal("[")?;
    let low = cursor.number()?;
    cursor.literal(", ")?;
    let high = if cursor.try_literal("inf") { None } else { Some(cursor.number()?) };
    cursor.literal(")")?;
    Ok(Bucket::Range { low, high })
}

fn read_ratio(cursor: &mut Cursor<'_>) -> Result<Option<Ratio>, Fault> {
    cursor.literal(RATIO)?;
    if cursor.line() == b"-" {
        cursor.literal("-")?;
        cursor.end_of_line()?;
        return Ok(None);
    }
    let value = cursor.double()?;
    cursor.literal(", from ")?;
    let low = cursor.double()?;
    cursor.literal(" to ")?;
    let high = cursor.double()?;
    cursor.literal(" with confidence ")?;
    let confidence = cursor.double()?;
    cursor.end_of_line()?;
    Ok(Some(Ratio { value, low, high, confidence }))
}

fn read_count(name: &'static str, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
    cursor.literal(name)?;
    let count = cursor.number()?;
    cursor.literal(" measurements")?;
    Ok(count)
}

fn read_side(name: &'static str, cursor: &mut Cursor<'_>) -> Result<(u64, Times), Fault> {
    let count = read_count(name, cursor)?;
    let mut doubles = [0.0; 3];
    for (before, double) in [", mean ", " ns, median ", " ns, deviation "].into_iter().zip(&mut doubles) {
        cursor.literal(before)?;
        *double = cursor.double()?;
    }
    cursor.literal(" ns")?;
    cursor.end_of_line()?;
    let [mean_ns, median_ns, sd_ns] = doubles;
    Ok((count, Times { mean_ns, median_ns, sd_ns }))
}

fn read_test(cursor: &mut Cursor<'_>) -> Result<Welch, Fault> {
    let names = ["  t ", ", df ", ", P(less) ", ", P(greater) ", ", P(different) "];
    let mut doubles = [0.0; 5];
    for (name, double) in names.into_iter().zip(&mut doubles) {
        cursor.literal(name)?;
        *double = cursor.double()?;
    }
    cursor.end_of_line()?;
    let [t, df, p_less, p_greater, p_two] = doubles;
    Ok(Welch { t, df, p_less, p_greater, p_two })
}

/// Every sign, longer ones before their beginnings.
fn signs() -> impl Iterator<Item = Sign> {
    let of_length = |wanted| Sign::ALL.into_iter().filter(move |sign| sign.as_str().len() == wanted);
    of_length(2).chain(of_length(1))
}
