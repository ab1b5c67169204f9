//! Diagnostics as a person reads them, in the manner of rustc.

use crate::{Diagnostic, Severity, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;

impl Diagnostic {
    /// The finding with its line and a caret under the place:
    ///
    /// ```
    /// use spl_lang::{RunMode, parse_tasks};
    /// let text = "a/B.f(int)V\n";
    /// let errors = parse_tasks(text, RunMode::Measurement).unwrap_err();
    /// assert_eq!(errors[0].render("instr.tasks", text), "\
    /// error: illegal descriptor
    ///  --> instr.tasks:1:7
    ///   |
    /// 1 | a/B.f(int)V
    ///   |       ^^^ not a type in the form of class files
    ///   |
    ///   = help: did you mean `a/B.f(I)V`?");
    /// ```
    ///
    /// `source` is the text that was read. Another text only shows wrong lines.
    #[must_use]
    pub fn render(&self, file_name: &str, source: &str) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let (lines, first_line) = self.excerpt(source);
        let text = source.get(lines.clone()).unwrap_or_default();
        let primary = AnnotationKind::Primary.span(within(self.span, &lines));
        let primary = if self.label.is_empty() { primary } else { primary.label(self.label.as_str()) };
        let related = self.related.iter().map(|place| {
            AnnotationKind::Context.span(within(place.span, &lines)).label(place.label.as_str())
        });
        let snippet = Snippet::source(text).line_start(first_line).path(file_name);
        let snippet = snippet.annotation(primary).annotations(related);
        let group = level.primary_title(self.message.as_str()).element(snippet);
        let group = match &self.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        };
        Renderer::plain().render(&[group])
    }

    /// The bytes of the finding's lines, from the first to the last, and the number of the first. A long file
    /// with many findings is not searched again for each.
    fn excerpt(&self, source: &str) -> (Range<usize>, usize) {
        let spans = || self.related.iter().map(|place| place.span).chain([self.span]);
        let lines = self.related.iter().map(|place| place.line).chain([self.line]);
        let start = spans().map(|span| span.start).min().unwrap_or(0);
        let end = spans().map(|span| span.end).max().unwrap_or(0);
        let (Some(before), Some(after), true) = (source.get(..start), source.get(end..), start <= end) else {
            return (0..0, 1);
        };
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let end = end + after.find('\n').unwrap_or(after.len());
        (start..end, lines.min().unwrap_or(1).max(1))
    }
}

/// The span in an excerpt of the text; the excerpt's start if the span lies outside.
fn within(span: Span, excerpt: &Range<usize>) -> Range<usize> {
    if excerpt.start <= span.start && span.start <= span.end && span.end <= excerpt.end {
        span.start - excerpt.start..span.end - excerpt.start
    } else {
        0..0
    }
}
