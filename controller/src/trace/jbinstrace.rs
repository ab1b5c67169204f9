//! Traces in JBInsTrace's numbers: tables of events, and a table of the methods that they name.
//!
//! Mode 1 is one trace of events and threads, mode 2 one for each thread. As in JBInsTrace, an exception that leaves a method has no event,
//! and nothing tells that events are missing.

use crate::drilled::{quoted, unquoted};
use spl_graph::forms::{BLOCKS, METHODS, TooMany};
use spl_model::one_line;
use spl_trace::{Frame, Left, Methods, Numbered, Ran, Stack, Tag, Visit};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The table of methods.
const NAMES: &str = "methods.csv";
/// The table of mode 1.
const SHARED: &str = "trace.csv";
/// Its first line, and that of the other mode.
const HEADS: [&str; 2] = ["event,thread", "event"];
/// Most bytes of a line, and of the table of methods.
const MOST_LINE: u64 = 256;
const MOST_NAMES: u64 = 1 << 30;

/// The tables while they are written. After an error nothing more is written.
pub struct Tables<'m> {
    folder: PathBuf,
    methods: &'m [(String, usize)],
    is_shared: bool,
    thread: u64,
    out: Option<BufWriter<File>>,
    error: Option<String>,
    /// Events that were written.
    pub events: u64,
    /// Activations that exceptions left, and places where events are missing: the form has no events for them.
    pub untold: (u64, u64),
}

/// The names of methods, with their numbers of blocks, by their places.
pub fn named(methods: &Methods) -> Vec<(String, usize)> {
    methods.all().iter().map(|method| (method.name.clone(), method.lengths.len())).collect()
}

impl<'m> Tables<'m> {
    /// Makes a folder for them.
    ///
    /// # Errors
    /// When there are too many methods, or it cannot be made, or is there already; one line of text.
    pub fn new(folder: &Path, methods: &'m [(String, usize)], is_shared: bool) -> Result<Self, String> {
        if let Some((name, _)) = methods.get(METHODS as usize) {
            return Err(refused(&TooMany::Methods(name.clone())));
        }
        let cannot = |error: io::Error| {
            format!("cannot write to {}: {error}; choose another folder with --output", folder.display())
        };
        fs::create_dir(folder).map_err(cannot)?;
        let lines = methods.iter().zip(0..).map(|((name, _), number)| format!("{number},{}\n", quoted(name)));
        let names: String = std::iter::once("method,name\n".to_owned()).chain(lines).collect();
        fs::write(folder.join(NAMES), names).map_err(cannot)?;
        let mut tables = Self {
            folder: folder.to_owned(),
            methods,
            is_shared,
            thread: 0,
            out: None,
            error: None,
            events: 0,
            untold: (0, 0),
        };
        if is_shared {
            tables.open(SHARED, HEADS[0]);
        }
        Ok(tables)
    }

    /// Events of this thread follow.
    pub fn begin(&mut self, thread: u64) {
        self.thread = thread;
        // JBInsTrace casts them to int.
        if i32::try_from(thread).is_err() && self.error.is_none() {
            self.error =
                Some(format!("JBInsTrace has no number for thread {thread}; leave --as jbinstrace out"));
        }
        if !self.is_shared {
            self.open(&format!("{thread}.csv"), HEADS[1]);
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first one that there was; one line of text.
    pub fn end(mut self) -> Result<(u64, (u64, u64)), String> {
        self.close();
        self.error.map_or(Ok((self.events, self.untold)), Err)
    }

    fn open(&mut self, name: &str, head: &str) {
        self.close();
        if self.error.is_some() {
            return;
        }
        match File::create(self.folder.join(name)) {
            Ok(file) => self.out = Some(BufWriter::new(file)),
            Err(error) => self.fail(&error),
        }
        self.print(format_args!("{head}"));
    }

    fn close(&mut self) {
        if let Some(mut out) = self.out.take()
            && let Err(error) = out.flush()
        {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        let folder = self.folder.display();
        self.error.get_or_insert_with(|| format!("cannot write to {folder}: {error}"));
    }

    fn print(&mut self, line: std::fmt::Arguments<'_>) {
        if self.error.is_some() {
            return;
        }
        if let Some(Err(error)) = self.out.as_mut().map(|out| writeln!(out, "{line}")) {
            self.fail(&error);
        }
    }

    fn event(&mut self, event: Numbered, method: u32) {
        let Some(number) = event.number() else {
            let name = self.methods.get(method as usize).map_or("", |(name, _)| name).to_owned();
            self.error.get_or_insert_with(|| refused(&TooMany::Blocks(name)));
            return;
        };
        self.events += 1;
        let thread = self.thread;
        match self.is_shared {
            true => self.print(format_args!("{number},{thread}")),
            false => self.print(format_args!("{number}")),
        }
    }
}

fn refused(why: &TooMany) -> String {
    one_line(&format!("{why}; trace fewer methods with --methods, or leave --as jbinstrace out"))
}

impl Visit for Tables<'_> {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, method: u32) -> Tag {
        let blocks = self.methods.get(method as usize).map_or(0, |(_, blocks)| *blocks);
        if blocks > BLOCKS as usize {
            // Also where this call runs none of them.
            self.event(Numbered::Block { method, block: BLOCKS }, method);
        }
        self.event(Numbered::Began { method }, method);
        0
    }

    fn segment(&mut self, _: &Stack, _: Tag, method: u32, ran: &Ran) {
        for &block in &ran.blocks {
            self.event(Numbered::Block { method, block }, method);
        }
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        match left {
            Left::Returned => self.event(Numbered::Ended { method: frame.method }, frame.method),
            Left::Thrown | Left::Unseen => self.untold.0 += 1,
            Left::Unknown => {}
        }
    }

    fn nameless(&mut self, _: &Stack, _: u32) {
        self.untold.1 += 1;
    }

    fn gap(&mut self, _: Option<u64>) {
        self.untold.1 += 1;
    }
}

/// Reads a table of events again and prints each as text, with the names of methods if their table is next to it.
///
/// # Errors
/// When it cannot be read, with the line; one line of text. The second kind is that of printing.
pub fn events(table: &Path, out: &mut impl Write) -> io::Result<Result<(), String>> {
    let cannot = |why: &dyn std::fmt::Display| one_line(&format!("cannot read {}: {why}", table.display()));
    let names = names(&table.with_file_name(NAMES));
    let file: Box<dyn Read> = match table.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => match File::open(table) {
            Ok(file) => Box::new(file),
            Err(error) => return Ok(Err(cannot(&error))),
        },
    };
    let mut reader = BufReader::new(file);
    let (mut line, mut number, mut is_shared) = (String::new(), 0_u64, false);
    loop {
        (number, _) = (number + 1, line.clear());
        match reader.by_ref().take(MOST_LINE).read_line(&mut line) {
            Err(error) => return Ok(Err(cannot(&error))),
            Ok(0) => return Ok(Ok(())),
            Ok(_) => {}
        }
        let text = line.trim_end();
        if number == 1 && HEADS.contains(&text) {
            is_shared = text == HEADS[0];
            continue;
        }
        let (event, thread) =
            text.split_once(',').map_or((text, None), |(event, thread)| (event, Some(thread)));
        let (Ok(event), true) = (event.parse::<i32>(), thread.is_some() == is_shared) else {
            return Ok(Err(cannot(&format!(
                "line {number} has no event of JBInsTrace; write it again with `spl trace replay --as jbinstrace`"
            ))));
        };
        let name = |method: u32| {
            names.get(method as usize).map_or_else(|| format!("method {method}"), |name| one_line(name))
        };
        let text = match Numbered::of(event) {
            Numbered::Loaded { class } => format!("class {class}"),
            Numbered::Began { method } => format!("> {}", name(method)),
            Numbered::Ended { method } => format!("< {}", name(method)),
            Numbered::Block { method, block } => format!("= {block} {}", name(method)),
        };
        match thread {
            Some(thread) => writeln!(out, "{} {text}", one_line(thread))?,
            None => writeln!(out, "{text}")?,
        }
    }
}

/// The names of methods, by their numbers; none without their table.
fn names(table: &Path) -> Vec<String> {
    let mut text = String::new();
    let read = File::open(table).and_then(|file| file.take(MOST_NAMES).read_to_string(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    let name = |line: &str| Some(unquoted(line.split_once(',')?.1));
    text.lines().skip(1).filter_map(name).collect()
}
