//! `spl cfg`: the control-flow graphs of methods, without a JVM.

use crate::check::OpenClasses;
use crate::cli::{Cfg, GraphForm};
use crate::methods;
use crate::picture::picture;
use crate::said;
use crate::stdout;
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_draw::Picture;
use spl_draw::svg::{self, Choices};
use spl_graph::{Graph, NoGraph, forms};
use spl_model::one_line;
use spl_verdict::ExitStatus;
use std::collections::{BTreeMap, BTreeSet};

/// Most methods of a drawing: they stand in one document, which has to be whole in memory.
const MOST_DRAWN: usize = 500;

/// Prints graphs.
///
/// # Errors
/// When the pattern means nothing, or classes cannot be read, as text for the operator.
pub fn cfg(arguments: &Cfg) -> Result<ExitStatus, String> {
    let mut classes = OpenClasses::of(&arguments.classes)?;
    let wanted = match &arguments.pattern {
        Some(pattern) => meant(pattern, &mut classes)?,
        None => all(&classes, arguments.classes.classpath.is_some()),
    };
    let mut printed = Printed {
        form: arguments.form,
        methods: 0,
        refused: Vec::new(),
        xml: String::new(),
        drawn: Vec::new(),
    };
    printed.start()?;
    for (class, methods) in &wanted {
        if let Some(bytes) = classes.catalogue.bytes(class) {
            printed.class(&bytes, methods.as_ref())?;
        }
    }
    classes.say_unreadable();
    printed.end()?;
    Ok(if printed.methods > 0 { ExitStatus::AllHold } else { ExitStatus::SomeFail })
}

/// Names and descriptors of methods.
type Methods = BTreeSet<(String, String)>;

/// The methods that a pattern means, by class.
fn meant(pattern: &str, classes: &mut OpenClasses) -> Result<BTreeMap<String, Option<Methods>>, String> {
    let mut wanted: BTreeMap<String, Option<Methods>> = BTreeMap::new();
    let found = methods::look_up(pattern, &mut classes.catalogue);
    for method in found?.into_iter().map(|known| known.method) {
        let name = (method.name().to_owned(), method.descriptor().as_str().to_owned());
        wanted.entry(method.class().to_owned()).or_default().get_or_insert_default().insert(name);
    }
    Ok(wanted)
}

/// All classes, of the class path or of the JDK, with all of their methods.
fn all(classes: &OpenClasses, of_class_path: bool) -> BTreeMap<String, Option<Methods>> {
    let catalogue = &classes.catalogue;
    let names = catalogue.names().into_iter();
    names.filter(|name| catalogue.is_of_jdk(name) != of_class_path).map(|name| (name, None)).collect()
}

/// The printed document so far. Classes come one by one, so that those of a whole JDK need no more memory
/// than one.
struct Printed {
    form: GraphForm,
    methods: u32,
    /// Methods without a graph, and why.
    refused: Vec<(String, String)>,
    /// XML is printed only when it is whole: a number that does not fit would end it in the middle.
    xml: String,
    /// Titles and pictures, which are drawn together.
    drawn: Vec<(String, Picture)>,
}

impl Printed {
    fn start(&self) -> Result<(), String> {
        match self.form {
            GraphForm::Json => stdout::print_as_it_is(forms::json_start()),
            GraphForm::Csv => stdout::print_as_it_is(&forms::csv_head()),
            GraphForm::Text | GraphForm::Dot | GraphForm::Jbinstrace | GraphForm::Svg => Ok(()),
        }
    }

    /// Prints the methods of a class that are wanted; `None` is all that have code.
    fn class(&mut self, bytes: &[u8], wanted: Option<&Methods>) -> Result<(), String> {
        let class = ClassFile::read(bytes).map_err(|refusal| refusal.to_string())?;
        for method in &class.methods {
            let name = (mutf8::decode(method.name), mutf8::decode(method.descriptor));
            if wanted.is_some_and(|wanted| !wanted.contains(&name)) {
                continue;
            }
            match Graph::of(&class, method) {
                Ok(graph) => self.graph(&graph)?,
                Err(NoGraph::NoCode) if wanted.is_none() => {}
                Err(why) => {
                    let owner = mutf8::decode(class.name().unwrap_or_default());
                    self.refused.push((one_line(&format!("{owner}.{}{}", name.0, name.1)), why.to_string()));
                }
            }
        }
        Ok(())
    }

    fn graph(&mut self, graph: &Graph<'_>) -> Result<(), String> {
        let is_first = self.methods == 0;
        let text = match self.form {
            GraphForm::Text => format!("{}{}", if is_first { "" } else { "\n" }, forms::text(graph)),
            GraphForm::Dot => forms::dot(graph),
            GraphForm::Json => format!("{}{}", if is_first { "" } else { "," }, forms::json_method(graph)),
            GraphForm::Csv => forms::csv(graph),
            GraphForm::Jbinstrace => {
                let numbered = forms::Numbered { number: self.methods, graph };
                let method = forms::jbinstrace_method(&numbered).map_err(|too_many| {
                    format!("{too_many}; name fewer methods, or take another form, such as --as csv")
                })?;
                self.xml.push_str(&method);
                String::new()
            }
            GraphForm::Svg => {
                if self.drawn.len() == MOST_DRAWN {
                    return Err(format!(
                        "these are more than {MOST_DRAWN} methods, too many for a drawing; name fewer methods, or take another \
                         form, such as --as dot"
                    ));
                }
                self.drawn.push((forms::method_name(graph), picture(graph)));
                String::new()
            }
        };
        self.methods += 1;
        stdout::print_as_it_is(&text)
    }

    fn end(&self) -> Result<(), String> {
        if self.form == GraphForm::Json {
            return stdout::print_as_it_is(&forms::json_end(&self.refused));
        }
        for (method, why) in &self.refused {
            said::say(&format!("{method}: {why}"));
        }
        match self.form {
            GraphForm::Jbinstrace => {
                let whole = [forms::JBINSTRACE_START, &self.xml, forms::JBINSTRACE_END].concat();
                stdout::print_as_it_is(&whole)
            }
            GraphForm::Svg => {
                let drawn = svg::document(&self.drawn, Choices::default());
                stdout::print_as_it_is(&drawn.map_err(|error| error.to_string())?)
            }
            GraphForm::Text | GraphForm::Dot | GraphForm::Json | GraphForm::Csv => Ok(()),
        }
    }
}
