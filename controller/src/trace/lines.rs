//! Every event of a trace as a line.

use crate::numbers::counted;
use spl_graph::SegmentEnd;
use spl_trace::{Frame, Left, Ran, Stack, Tag, Visit};
use std::io::{self, Write};

/// Prints events. After an error nothing more is printed.
pub struct Lines<'n, W> {
    out: W,
    names: &'n [String],
    error: Option<io::Error>,
}

impl<'n, W: Write> Lines<'n, W> {
    /// Prints with the names of methods, by their places.
    pub fn new(out: W, names: &'n [String]) -> Self {
        Self { out, names, error: None }
    }

    /// A thread begins.
    pub fn begin(&mut self, thread: u64) {
        self.print(format_args!("thread {thread}"));
    }

    /// A thread goes on, in the order of all threads if its place in that is known.
    pub fn goes_on(&mut self, thread: u64, is_placed: bool) {
        match is_placed {
            true => self.begin(thread),
            false => self.print(format_args!("thread {thread}, at an unknown place in the order")),
        }
    }

    /// The error that printing met.
    ///
    /// # Errors
    /// This one.
    pub fn end(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    fn print(&mut self, line: std::fmt::Arguments<'_>) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{line}").err();
        }
    }

    fn name(&self, method: u32) -> &'n str {
        self.names.get(method as usize).map_or("?", String::as_str)
    }
}

impl<W: Write> Visit for Lines<'_, W> {
    fn enter(&mut self, stack: &Stack, _: Option<Tag>, method: u32) -> Tag {
        let name = self.name(method);
        self.print(format_args!("{} > {name}", stack.depth() + 1));
        0
    }

    fn segment(&mut self, stack: &Stack, _: Tag, _: u32, ran: &Ran) {
        let blocks: String = ran.blocks.iter().map(|block| format!(" {block}")).collect();
        let end = match ran.end {
            SegmentEnd::Stopped => " !".to_owned(),
            SegmentEnd::Call(at) => format!(" @{at}"),
            SegmentEnd::Edge(_) => String::new(),
            SegmentEnd::Returned => " .".to_owned(),
        };
        self.print(format_args!("{} ={blocks}{end}", stack.depth()));
    }

    fn leave(&mut self, stack: &Stack, frame: &Frame, left: Left) {
        let how = match left {
            Left::Returned => "returned",
            Left::Thrown => "exception",
            Left::Unseen => "unseen",
            Left::Unknown => "unknown",
        };
        let name = self.name(frame.method);
        self.print(format_args!("{} < {name} {how}", stack.depth() + 1));
    }

    fn nameless(&mut self, stack: &Stack, number: u32) {
        self.print(format_args!("{} > ? (method {number})", stack.depth() + 1));
    }

    fn gap(&mut self, lost: Option<u64>) {
        match lost {
            Some(lost) => {
                let lost = counted(lost, "event is", "events are");
                self.print(format_args!("? {lost} missing"));
            }
            None => self.print(format_args!("? an unknown number of events is missing")),
        }
    }

    fn call(&mut self, number: u64, ns: u64) {
        self.print(format_args!("call {}, clock {ns}", number.saturating_add(1)));
    }
}
