//! A specification file as it is written.

use spl_lang::ast::Node;
use std::fmt;

/// A file: declarations in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The declarations.
    pub declarations: Vec<Declaration>,
}

/// `event PATTERN { … }` or `default { … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// The pattern of names of events; `None` in `default`.
    pub events: Option<Node<String>>,
    /// The settings.
    pub settings: Vec<Setting>,
}

/// `PATTERN: yes;`
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The pattern of names of fields.
    pub fields: Node<String>,
    /// Whether they are wanted.
    pub is_wanted: bool,
}

/// The standard form.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.declarations.iter().try_for_each(|declaration| write!(f, "{declaration}"))
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.events {
            Some(pattern) => writeln!(f, "event {pattern} {{")?,
            None => writeln!(f, "default {{")?,
        }
        for Setting { fields, is_wanted } in &self.settings {
            writeln!(f, "    {fields}: {};", if *is_wanted { "yes" } else { "no" })?;
        }
        writeln!(f, "}}")
    }
}
