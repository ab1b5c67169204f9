//! The methods that the words of a trace name: a table has their numbers, and class files their code.

use super::place::{Place, cannot};
use crate::drill::arriving::{LOOSE, METHODS};
use crate::drilled::{Classes, MOST_CLASS_BYTES, in_folder, regular, unquoted};
use spl_classfile::class::{ACC_NATIVE, ClassFile};
use spl_classfile::mutf8;
use spl_export::{CLASSES, no_classes};
use spl_graph::Graph;
use spl_model::one_line;
use spl_trace::{Callees, Methods};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most bytes of the table of methods.
const MOST_TABLE: u64 = 1 << 30;
/// Most superclasses of a class that are looked through.
const MOST_SUPERS: usize = 256;
/// Class files that are missing and named.
const MOST_NAMED: usize = 5;

/// The methods of a trace.
#[derive(Debug, Default)]
pub struct Named {
    /// Methods that words name.
    pub methods: Methods,
    /// Their calls, if these are wanted, and what class files say of the called methods.
    pub calls: Option<(Callees, Declared)>,
    /// Why some methods are not known, one line each.
    pub missing: Vec<String>,
}

/// The methods that class files declare.
#[derive(Debug, Default)]
pub struct Declared {
    /// The superclass of each class.
    supers: HashMap<String, Option<String>>,
    /// For each method, as in a task file, whether it is native.
    natives: HashMap<String, bool>,
}

impl Declared {
    fn add(&mut self, class: &ClassFile<'_>, name: &str) {
        let above = class.pool.class(class.super_class).ok();
        self.supers.insert(name.to_owned(), above.map(mutf8::decode));
        for method in &class.methods {
            let method_name =
                format!("{name}.{}{}", mutf8::decode(method.name), mutf8::decode(method.descriptor));
            self.natives.insert(method_name, method.access & ACC_NATIVE != 0);
        }
    }

    /// Why a called method is not in the trace: as a class file at hand declares it, or a superclass.
    pub fn answer(&self, callee: &str) -> &'static str {
        let end = callee.find('(').unwrap_or(callee.len());
        let Some(dot) = callee[..end].rfind('.') else { return "no class file" };
        let (mut class, method) = (&callee[..dot], &callee[dot..]);
        for _ in 0..MOST_SUPERS {
            match self.natives.get(&format!("{class}{method}")) {
                Some(true) => return "native",
                Some(false) => return "not traced",
                None => {}
            }
            match self.supers.get(class) {
                Some(Some(above)) => class = above,
                Some(None) => return "not traced",
                None => break,
            }
        }
        "no class file"
    }
}

/// The methods of a trace, with their calls if they are wanted.
///
/// # Errors
/// When none can be known; one line of text.
pub fn named(place: &Place, wants_calls: bool) -> Result<Named, String> {
    let mut named = Named { calls: wants_calls.then(Default::default), ..Named::default() };
    let table = place.traces.join(METHODS);
    let text = match text(&table) {
        Ok(text) => text,
        Err(why) if place.is_finished => return Err(why),
        // Words without names still tell of depths, and of what is missing.
        Err(why) => {
            named.missing.push(why);
            return Ok(named);
        }
    };
    let of_class = classes_of(&text, place.is_finished).map_err(|why| cannot(&table, &why))?;
    let loose = place.traces.join(LOOSE);
    let mut classes = if loose.is_dir() { Classes::loose(loose.clone()) } else { archive(place)? };
    let mut missing = Vec::new();
    for (digest, names) in of_class {
        let added = classes.of_digest(digest, MOST_CLASS_BYTES).and_then(|bytes| named.add(&bytes, &names));
        if let Err(why) = added {
            let method = names.keys().min().map_or("", String::as_str);
            missing.push(one_line(&format!("the class of {method} cannot be read: {why}")));
        }
    }
    named.missing = first_of(missing);
    Ok(named)
}

/// The first ones of the messages about class files, and the number of the others.
pub fn first_of(mut missing: Vec<String>) -> Vec<String> {
    if missing.len() > MOST_NAMED {
        let more = missing.len() - MOST_NAMED;
        missing.truncate(MOST_NAMED);
        missing.push(format!("{more} more class files cannot be read"));
    }
    missing
}

fn text(table: &Path) -> Result<String, String> {
    let mut text = String::new();
    regular(table)?;
    let file = File::open(table).map_err(|error| cannot(table, &error))?;
    file.take(MOST_TABLE).read_to_string(&mut text).map_err(|error| cannot(table, &error))?;
    Ok(text)
}

fn archive(place: &Place) -> Result<Classes, String> {
    Classes::open(&place.drill).map_err(|fault| {
        if fault == no_classes() {
            let why = "it is not there. A trace cannot be replayed without the class files: drill without --no-classes";
            return cannot(&place.drill.join(CLASSES), &why);
        }
        in_folder(&place.drill, &fault)
    })
}

/// The methods of each class with their numbers, by the digests of the classes. The last line of a drill that was not finished may be cut.
///
/// # Errors
/// When a line is damaged; one line of text.
pub fn classes_of(text: &str, is_finished: bool) -> Result<BTreeMap<&str, HashMap<String, u32>>, String> {
    let whole = if is_finished { text } else { &text[..text.rfind('\n').map_or(0, |end| end + 1)] };
    let mut of_class: BTreeMap<&str, HashMap<String, u32>> = BTreeMap::new();
    for (line, place) in whole.lines().zip(1..).skip(1) {
        let mut fields = line.splitn(3, ',');
        let (Some(number), Some(digest), Some(name)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("line {place} has no three fields; take the trace again"));
        };
        let number =
            number.parse().map_err(|_| format!("line {place} has no number; take the trace again"))?;
        of_class.entry(digest).or_default().insert(unquoted(name), number);
    }
    Ok(of_class)
}

impl Named {
    /// Adds the methods of a class that are traced.
    ///
    /// # Errors
    /// When it cannot be read; the reason.
    pub fn add(&mut self, bytes: &[u8], names: &HashMap<String, u32>) -> Result<(), String> {
        let class = ClassFile::read(bytes).map_err(|why| why.to_string())?;
        let of = mutf8::decode(class.name().map_err(|why| why.to_string())?);
        if let Some((_, declared)) = &mut self.calls {
            declared.add(&class, &of);
        }
        for method in class.methods.iter().filter(|method| method.code.is_some()) {
            let name = format!("{of}.{}{}", mutf8::decode(method.name), mutf8::decode(method.descriptor));
            let Some(&number) = names.get(&name) else { continue };
            if let Ok(graph) = Graph::of(&class, method)
                && self.methods.add(number, &graph)
                && let Some((callees, _)) = &mut self.calls
            {
                callees.add(&graph);
            }
        }
        Ok(())
    }
}
