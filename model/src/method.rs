//! Methods as the class file names them (JVMS 4.2, 4.3).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One method: class, name and descriptor, each legal in a class file.
///
/// ```
/// use spl_model::MethodRef;
/// let method: MethodRef = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I".parse()?;
/// assert_eq!(method.class(), "java/lang/Integer");
/// assert_eq!(method.name(), "compareTo");
/// assert_eq!(method.descriptor().as_str(), "(Ljava/lang/Integer;)I");
/// # Ok::<(), spl_model::MethodError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "RawMethodRef", into = "RawMethodRef")]
pub struct MethodRef {
    class: String,
    name: String,
    descriptor: Descriptor,
}

#[derive(Serialize, Deserialize)]
struct RawMethodRef {
    class: String,
    name: String,
    descriptor: String,
}

impl TryFrom<RawMethodRef> for MethodRef {
    type Error = MethodError;
    fn try_from(raw: RawMethodRef) -> Result<Self, MethodError> {
        Self::new(&raw.class, &raw.name, &raw.descriptor)
    }
}

impl From<MethodRef> for RawMethodRef {
    fn from(method: MethodRef) -> Self {
        Self { class: method.class, name: method.name, descriptor: method.descriptor.text }
    }
}

impl MethodRef {
    /// A method from its three parts: `java/lang/Integer`, `compareTo`, `(Ljava/lang/Integer;)I`.
    ///
    /// # Errors
    /// When a part is not legal in a class file (JVMS 4.2.1, 4.2.2, 4.3.3).
    pub fn new(class: &str, name: &str, descriptor: &str) -> Result<Self, MethodError> {
        check_class(class)?;
        check_name(name)?;
        let descriptor = descriptor.parse()?;
        Ok(Self { class: class.to_owned(), name: name.to_owned(), descriptor })
    }

    /// Binary name with slashes: `java/util/Map$Entry`.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// Unqualified name, `<init>` for a constructor, `<clinit>` for a static initialiser.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parameter and return types.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }
}

/// The thesis's form (3.3.3): `pkg/Class$Inner.name(descriptor)`. It is also the measurement identifier.
impl fmt::Display for MethodRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.class, self.name, self.descriptor.text)
    }
}

impl FromStr for MethodRef {
    type Err = MethodError;
    fn from_str(text: &str) -> Result<Self, MethodError> {
        let paren = text.find('(').ok_or(MethodError::NoDescriptor)?;
        let (path, descriptor) = text.split_at(paren);
        let dot = path.rfind('.').ok_or(MethodError::NoName)?;
        Self::new(&path[..dot], &path[dot + 1..], descriptor)
    }
}

/// A checked method descriptor (JVMS 4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Descriptor {
    text: String,
    parameters: Vec<FieldType>,
    result: Option<FieldType>,
}

impl Descriptor {
    /// The descriptor as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Parameter types in order, without `this`.
    #[must_use]
    pub fn parameters(&self) -> &[FieldType] {
        &self.parameters
    }

    /// Return type; `None` is `void`.
    #[must_use]
    pub fn result(&self) -> Option<&FieldType> {
        self.result.as_ref()
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Descriptor {
    type Err = MethodError;
    fn from_str(text: &str) -> Result<Self, MethodError> {
        let bad = |at: usize| MethodError::BadDescriptor { at };
        let mut rest = text.strip_prefix('(').ok_or_else(|| bad(0))?;
        let at = |rest: &str| text.len() - rest.len();
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (one, tail) = FieldType::take(rest).ok_or_else(|| bad(at(rest)))?;
            parameters.push(one);
            rest = tail;
        }
        rest = &rest[1..];
        let slots: usize = parameters.iter().map(FieldType::slots).sum();
        if slots > 255 {
            return Err(MethodError::TooManyParameters);
        }
        let result = if rest == "V" {
            None
        } else {
            match FieldType::take(rest) {
                Some((one, "")) => Some(one),
                Some((_, tail)) => return Err(bad(at(tail))),
                None => return Err(bad(at(rest))),
            }
        };
        Ok(Self { text: text.to_owned(), parameters, result })
    }
}

/// A field type (JVMS 4.3.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldType {
    /// `Z`
    Boolean,
    /// `B`
    Byte,
    /// `C`
    Char,
    /// `S`
    Short,
    /// `I`
    Int,
    /// `J`
    Long,
    /// `F`
    Float,
    /// `D`
    Double,
    /// `Lpkg/Class;`, held as `pkg/Class`.
    Object(String),
    /// `[` and the element type, held as the whole descriptor: `[[I`.
    Array(String),
}

impl FieldType {
    /// The first field type of `text` and the text after it.
    #[must_use]
    pub fn take(text: &str) -> Option<(Self, &str)> {
        let mut chars = text.chars();
        let one = match chars.next()? {
            'Z' => Self::Boolean,
            'B' => Self::Byte,
            'C' => Self::Char,
            'S' => Self::Short,
            'I' => Self::Int,
            'J' => Self::Long,
            'F' => Self::Float,
            'D' => Self::Double,
            'L' => {
                let end = text.find(';')?;
                check_class(&text[1..end]).ok()?;
                return Some((Self::Object(text[1..end].to_owned()), &text[end + 1..]));
            }
            '[' => {
                let element = text.trim_start_matches('[');
                if text.len() - element.len() > 255 {
                    return None;
                }
                let (_, tail) = Self::take(element)?;
                return Some((Self::Array(text[..text.len() - tail.len()].to_owned()), tail));
            }
            _ => return None,
        };
        Some((one, chars.as_str()))
    }

    /// Local variable slots: 2 for `long` and `double`, else 1 (JVMS 2.6.1).
    #[must_use]
    pub fn slots(&self) -> usize {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    /// Whether values of the type are object references.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Array(_))
    }

    /// Bytes of a primitive value; 0 for references, whose size is computed at run time.
    #[must_use]
    pub fn primitive_bytes(&self) -> u64 {
        match self {
            Self::Boolean | Self::Byte => 1,
            Self::Char | Self::Short => 2,
            Self::Int | Self::Float => 4,
            Self::Long | Self::Double => 8,
            Self::Object(_) | Self::Array(_) => 0,
        }
    }
}

/// The reason why a text is not a method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    /// The text has no `(` that starts a descriptor.
    #[error("no descriptor: write the parameter and return types, as in name(I)V")]
    NoDescriptor,
    /// The text has no `.` between class and method name.
    #[error("no method name: write class and method as in pkg/Class.name(I)V")]
    NoName,
    /// The class name is illegal.
    #[error("illegal class name {0:?}: packages are separated by /, inner classes by $")]
    BadClass(String),
    /// The method name is illegal.
    #[error("illegal method name {0:?}")]
    BadName(String),
    /// The descriptor is illegal; `at` is the byte offset of the error in the descriptor.
    #[error("illegal descriptor at its character {at}")]
    BadDescriptor {
        /// Byte offset in the descriptor.
        at: usize,
    },
    /// The descriptor has more than 255 parameter slots (JVMS 4.3.3).
    #[error("more than 255 parameter slots")]
    TooManyParameters,
}

/// JVMS 4.2.1: identifiers separated by `/`, none empty, without `. ; [ /` inside. White space and control
/// characters are illegal here, too: no compiler writes them, and they break file names.
fn check_class(class: &str) -> Result<(), MethodError> {
    let legal = |part: &str| {
        !part.is_empty() && !part.chars().any(|c| matches!(c, '.' | ';' | '[' | '(' | ')') || c.is_control())
    };
    if class.len() <= usize::from(u16::MAX) && class.split('/').all(legal) {
        Ok(())
    } else {
        Err(MethodError::BadClass(class.to_owned()))
    }
}

/// JVMS 4.2.2: an unqualified name without `. ; [ / < >`, or `<init>` or `<clinit>`.
fn check_name(name: &str) -> Result<(), MethodError> {
    let illegal = |c: char| matches!(c, '.' | ';' | '[' | '/' | '<' | '>' | '(' | ')') || c.is_control();
    let special = matches!(name, "<init>" | "<clinit>");
    let plain = !name.is_empty() && name.len() <= usize::from(u16::MAX) && !name.chars().any(illegal);
    if special || plain { Ok(()) } else { Err(MethodError::BadName(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, &str, usize), MethodError>) {
        let got = text.parse::<MethodRef>();
        match (got, expected) {
            (Ok(method), Ok((class, name, parameters))) => {
                assert_eq!(method.to_string(), text);
                assert_eq!((method.class(), method.name()), (class, name));
                assert_eq!(method.descriptor().parameters().len(), parameters);
            }
            (got, expected) => assert_eq!(got.err(), expected.err(), "{text}"),
        }
    }

    #[test]
    fn methods_are_read_and_written_alike() {
        check("java/lang/Integer.compareTo(Ljava/lang/Integer;)I", Ok(("java/lang/Integer", "compareTo", 1)));
        check("A$B.<init>(IJ[[DLx/Y;)V", Ok(("A$B", "<init>", 4)));
        check("p/C.lambda$run$0()Ljava/lang/Object;", Ok(("p/C", "lambda$run$0", 0)));
        check("p/Č.měř(Z)[I", Ok(("p/Č", "měř", 1)));
    }

    #[test]
    fn illegal_methods_say_where() {
        check("p/C.f", Err(MethodError::NoDescriptor));
        check("f()V", Err(MethodError::NoName));
        check("p//C.f()V", Err(MethodError::BadClass("p//C".into())));
        check("p.C.f()V", Err(MethodError::BadClass("p.C".into())));
        check("p/C.<f>()V", Err(MethodError::BadName("<f>".into())));
        check("p/C.f(Q)V", Err(MethodError::BadDescriptor { at: 1 }));
        check("p/C.f(I)", Err(MethodError::BadDescriptor { at: 3 }));
        check("p/C.f(I)VV", Err(MethodError::BadDescriptor { at: 3 }));
        check("p/C.f(Ljava.lang.Integer;)V", Err(MethodError::BadDescriptor { at: 1 }));
        check(&format!("p/C.f({})V", "J".repeat(128)), Err(MethodError::TooManyParameters));
    }

    #[test]
    fn sizes_of_primitives_and_slots() {
        let d: Descriptor = "(ZBCSIJFD[JLa/B;)V".parse().unwrap();
        assert_eq!(d.parameters().iter().map(FieldType::primitive_bytes).sum::<u64>(), 30);
        assert_eq!(d.parameters().iter().map(FieldType::slots).sum::<usize>(), 12);
        assert_eq!(d.parameters().iter().filter(|p| p.is_reference()).count(), 2);
    }
}
