//! The elements of the document.

use super::counter::{KINDS, Sums, Totals};
use super::package::{ClassSums, Package};
use spl_graph::forms::attribute;
use std::collections::BTreeMap;
use std::fmt::Write;

const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" \"report.dtd\">\n";

pub(super) fn document(packages: &BTreeMap<String, Package>, name: &str) -> String {
    let mut out = format!("{START}<report name=\"{}\">\n", attribute(name));
    let mut totals = Totals::default();
    for (name, package) in packages {
        totals.add(package.totals());
        write_package(&mut out, name, package);
    }
    write_counters(&mut out, "  ", totals);
    out.push_str("</report>\n");
    out
}

// A `String` takes everything, so no result of `write!` is looked at below.

fn write_package(out: &mut String, name: &str, package: &Package) {
    let _ = writeln!(out, "  <package name=\"{}\">", attribute(name));
    for (name, class) in package.all() {
        write_class(out, name, class);
    }
    for (name, file) in package.files() {
        let _ = writeln!(out, "    <sourcefile name=\"{}\">", attribute(name));
        write_lines(out, &file);
        write_counters(out, "      ", file.totals());
        out.push_str("    </sourcefile>\n");
    }
    write_counters(out, "    ", package.totals());
    out.push_str("  </package>\n");
}

fn write_class(out: &mut String, name: &str, class: &ClassSums) {
    let source = class.source.as_deref().map(attribute);
    let source = source.map_or_else(String::new, |source| format!(" sourcefilename=\"{source}\""));
    let _ = writeln!(out, "    <class name=\"{}\"{source}>", attribute(name));
    for method in &class.methods {
        let first = method.sums.lines.keys().next();
        let line = first.map_or_else(String::new, |line| format!(" line=\"{line}\""));
        let (name, descriptor) = (attribute(&method.name), attribute(&method.descriptor));
        let _ = writeln!(out, "      <method name=\"{name}\" desc=\"{descriptor}\"{line}>");
        write_counters(out, "        ", method.sums.totals());
        out.push_str("      </method>\n");
    }
    write_counters(out, "      ", class.sums.totals());
    out.push_str("    </class>\n");
}

fn write_lines(out: &mut String, file: &Sums) {
    for (number, line) in &file.lines {
        let (instructions, branches) = (line.instructions, line.branches);
        let _ = writeln!(
            out,
            "      <line nr=\"{number}\" mi=\"{}\" ci=\"{}\" mb=\"{}\" cb=\"{}\"/>",
            instructions.missed, instructions.covered, branches.missed, branches.covered
        );
    }
}

/// Kinds of which there is nothing are left out, as JaCoCo does.
fn write_counters(out: &mut String, indent: &str, totals: Totals) {
    for (kind, counter) in KINDS.iter().zip(totals.0).filter(|(_, counter)| counter.total() > 0) {
        let (missed, covered) = (counter.missed, counter.covered);
        let _ = writeln!(out, "{indent}<counter type=\"{kind}\" missed=\"{missed}\" covered=\"{covered}\"/>");
    }
}
