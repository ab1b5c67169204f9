//! Diagnostics as a person reads them, in the manner of rustc.

use crate::{Diagnostic, Severity, Span};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
    ///   |       ^^^ not a type as class files write it
    ///   |
    ///   = help: did you mean `a/B.f(I)V`?");
    /// ```
    ///
    /// `source` is the text that was read. Another text shows other lines, and is no other harm.
    #[must_use]
    pub fn render(&self, file_name: &str, source: &str) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let primary = AnnotationKind::Primary.span(within(self.span, source));
        let primary = if self.label.is_empty() { primary } else { primary.label(self.label.as_str()) };
        let related = self.related.iter().map(|place| {
            AnnotationKind::Context.span(within(place.span, source)).label(place.label.as_str())
        });
        let snippet = Snippet::source(source).path(file_name).annotation(primary).annotations(related);
        let group = level.primary_title(self.message.as_str()).element(snippet);
        let group = match &self.help {
            Some(help) => group.element(Level::HELP.message(help.as_str())),
            None => group,
        };
        Renderer::plain().render(&[group])
    }
}

/// The span, if it lies on characters of `source`; else its start.
fn within(span: Span, source: &str) -> std::ops::Range<usize> {
    if source.get(span.start..span.end).is_some() { span.start..span.end } else { 0..0 }
}
