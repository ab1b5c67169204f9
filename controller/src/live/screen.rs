//! The lowest lines of a terminal, reserved for us. Above them, in a scroll region, the program writes as
//! before, and its text goes into the terminal's scrollback as usual.
//!
//! Each change is one write, so that the program's output never comes into the middle of it. The cursor
//! belongs to the program and returns to its place after each change.

use super::row::Row;
use crate::colour::{self, paint};
use crossterm::Command;
use crossterm::cursor::{MoveTo, MoveUp, RestorePosition, SavePosition};
use crossterm::style::Print;
use crossterm::terminal::{Clear, ClearType};
use std::fmt;
use std::io::Write;

/// A terminal.
#[derive(Debug)]
pub struct Screen<W: Write> {
    out: W,
    area: Option<Area>,
}

/// The reserved lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area {
    columns: u16,
    lines: u16,
    height: u16,
}

impl<W: Write> Screen<W> {
    /// A terminal in its original state.
    pub fn new(out: W) -> Self {
        Self { out, area: None }
    }

    /// Shows rows at the bottom of a terminal of this size.
    pub fn draw(&mut self, columns: u16, lines: u16, rows: &[Row]) {
        let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        let area = Area { columns, lines, height };
        let mut text = Ansi::default();
        if self.area != Some(area) {
            if self.area.is_some() {
                text.release();
            }
            self.area = (height > 0).then_some(area);
            if height > 0 {
                text.reserve(area);
            }
        }
        if height > 0 {
            text.add(SavePosition);
            for (row, line) in rows.iter().zip(lines.saturating_sub(height)..) {
                text.add(MoveTo(0, line));
                text.add(Clear(ClearType::CurrentLine));
                text.add(Print(painted(row)));
            }
            text.add(RestorePosition);
        }
        self.write(&text);
    }

    /// Gives the whole terminal back.
    pub fn close(&mut self) {
        if self.area.take().is_some() {
            let mut text = Ansi::default();
            text.release();
            self.write(&text);
        }
    }

    fn write(&mut self, text: &Ansi) {
        // Without the terminal nobody can read a message about it.
        let _ = self.out.write_all(text.0.as_bytes());
        let _ = self.out.flush();
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        self.close();
    }
}

fn painted(row: &Row) -> String {
    let coloured = colour::is_wanted();
    row.iter().map(|(tone, text)| if coloured { paint(*tone, text) } else { text.clone() }).collect()
}

/// Commands to a terminal.
#[derive(Default)]
struct Ansi(String);

impl Ansi {
    fn add(&mut self, command: impl Command) {
        // Writing to a `String` cannot fail.
        let _ = command.write_ansi(&mut self.0);
    }

    /// Lets the lines above the area scroll alone.
    fn reserve(&mut self, area: Area) {
        // This number of lines is needed below the cursor: if they are missing, all text moves up. A vertical
        // tab goes down like a line feed but keeps its column, even through the terminal's line discipline.
        (0..area.height).for_each(|_| self.add(Print('\u{b}')));
        self.add(MoveUp(area.height));
        self.add(SavePosition);
        self.add(ScrollRegion(Some(area.lines.saturating_sub(area.height))));
        self.add(RestorePosition);
    }

    /// Lets all lines scroll again, and clears the lines below the cursor: the area, even if a change of the
    /// terminal's size has moved it.
    fn release(&mut self) {
        self.add(SavePosition);
        self.add(ScrollRegion(None));
        self.add(RestorePosition);
        self.add(Clear(ClearType::FromCursorDown));
    }
}

/// Scroll region from the first line to this one, or all lines (DECSTBM). The cursor moves to the first line.
struct ScrollRegion(Option<u16>);

impl Command for ScrollRegion {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        match self.0 {
            Some(last) => write!(f, "\u{1b}[1;{last}r"),
            None => f.write_str("\u{1b}[r"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Tone;
    use std::num::NonZero;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Arc, Mutex};

    /// A terminal that a program and a screen write to.
    #[derive(Clone)]
    struct Terminal(Arc<Mutex<vt100::Parser>>);

    impl Terminal {
        fn new(columns: u16, lines: u16) -> Self {
            let [lines, columns] = [lines, columns].map(|size| NonZero::new(size).unwrap());
            Self(Arc::new(Mutex::new(vt100::Parser::new(lines, columns, 1000))))
        }

        fn resize(&self, columns: u16, lines: u16) {
            let [lines, columns] = [lines, columns].map(|size| NonZero::new(size).unwrap());
            self.0.lock().unwrap().screen_mut().set_size(lines, columns);
        }

        fn says(&self, text: &str) {
            // The line discipline writes CR before LF.
            self.0.lock().unwrap().process(text.replace('\n', "\r\n").as_bytes());
        }

        fn lines(&self) -> Vec<String> {
            let parser = self.0.lock().unwrap();
            let (_, columns) = parser.screen().size();
            parser.screen().rows(0, columns.get()).map(|row| row.trim_end().to_owned()).collect()
        }

        fn past(&self, lines: usize) -> Vec<String> {
            self.0.lock().unwrap().screen_mut().set_scrollback(lines);
            let shown = self.lines();
            self.0.lock().unwrap().screen_mut().set_scrollback(0);
            shown
        }
    }

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().process(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn rows(texts: &[&str]) -> Vec<Row> {
        texts.iter().map(|text| vec![(Tone::Plain, (*text).to_owned())]).collect()
    }

    #[test]
    fn the_program_writes_above_the_rows_and_no_line_is_lost() {
        let terminal = Terminal::new(20, 6);
        terminal.says("$ spl run\n");
        let mut screen = Screen::new(terminal.clone());
        screen.draw(20, 6, &rows(&["first", "second"]));
        assert_eq!(terminal.lines(), ["$ spl run", "", "", "", "first", "second"]);
        for number in 1..=5 {
            terminal.says(&format!("line {number}\n"));
            screen.draw(20, 6, &rows(&["first", &format!("second {number}")]));
        }
        terminal.says("and ");
        screen.draw(20, 6, &rows(&["first", "2"]));
        terminal.says("on");
        assert_eq!(terminal.lines(), ["line 3", "line 4", "line 5", "and on", "first", "2"]);
        drop(screen);
        terminal.says(" it goes\n$");
        assert_eq!(terminal.lines(), ["line 3", "line 4", "line 5", "and on it goes", "$", ""]);
        assert_eq!(terminal.past(3)[..3], ["$ spl run", "line 1", "line 2"]);
    }

    #[test]
    fn a_full_terminal_makes_room_and_keeps_the_column() {
        let terminal = Terminal::new(20, 5);
        terminal.says("1\n2\n3\n4\nprompt> ");
        let mut screen = Screen::new(terminal.clone());
        screen.draw(20, 5, &rows(&["a", "b"]));
        terminal.says("answer");
        assert_eq!(terminal.lines(), ["3", "4", "prompt> answer", "a", "b"]);
        assert_eq!(terminal.past(2)[..2], ["1", "2"]);
    }

    #[test]
    fn another_size_of_terminal_or_view_starts_over() {
        let terminal = Terminal::new(20, 8);
        terminal.says("text\n");
        let mut screen = Screen::new(terminal.clone());
        screen.draw(20, 8, &rows(&["a", "b", "c"]));
        screen.draw(20, 8, &rows(&["a"]));
        assert_eq!(terminal.lines(), ["text", "", "", "", "", "", "", "a"]);
        terminal.resize(12, 5);
        screen.draw(12, 5, &rows(&["a", "b"]));
        assert_eq!(terminal.lines(), ["text", "", "", "a", "b"]);
        screen.draw(12, 5, &[]);
        terminal.says("1\n2\n3\n4\n");
        assert_eq!(terminal.lines(), ["1", "2", "3", "4", ""]);
    }

    #[test]
    fn a_panic_gives_the_terminal_back() {
        let terminal = Terminal::new(20, 4);
        let shown = terminal.clone();
        let panicked = catch_unwind(AssertUnwindSafe(move || {
            let mut screen = Screen::new(shown);
            screen.draw(20, 4, &rows(&["a", "b"]));
            panic!("while the view is there");
        }));
        assert!(panicked.is_err());
        terminal.says("1\n2\n3\n");
        assert_eq!(terminal.lines(), ["1", "2", "3", ""]);
    }
}
