//! Methods as Java names them, and the methods of class files that they match.

use spl_model::glob;
use spl_model::{FieldType, MethodRef};
use std::fmt;

/// A method named as in Java, `java.util.ArrayList#get(int)`. Class files contain more (the return type, the
/// packages of parameter types), so a pattern may match no method, one, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPattern {
    /// Annotation that the method has, with as much of its package as there is need for; `None` for any.
    pub annotation: Option<String>,
    /// The whole class name with dots; before an inner class stands `$` or a dot. `*` stands for any
    /// characters but these two, `**` for any at all.
    pub class: String,
    /// The method's name, `<init>` for a constructor; `*` stands for any characters, though not for `<init>`.
    pub name: String,
    /// Erased parameter types; any if `None`. The last may be `**`, which stands for any types.
    pub parameters: Option<Vec<TypePattern>>,
    /// Erased return type, `void` included; any if `None`.
    pub result: Option<TypePattern>,
}

impl MethodPattern {
    /// The pattern that names the method's class, parameters and result in full. It means other methods as
    /// well only where a class is named like a type variable. `None` if a name in it has characters that
    /// Java's have not.
    ///
    /// ```
    /// use spl_lang::ast::MethodPattern;
    /// let method = "java/util/Map$Entry.<init>([[ILjava/util/List;)V".parse().unwrap();
    /// let pattern = MethodPattern::of(&method).unwrap();
    /// assert_eq!(pattern.to_string(), "java.util.Map$Entry#<init>(int[][], java.util.List): void");
    /// ```
    #[must_use]
    pub fn of(method: &MethodRef) -> Option<Self> {
        let class = java_class(method.class())?;
        let name = method.name();
        let plain = is_word(name) && !matches!(name, "new");
        (plain || name.starts_with('<')).then_some(())?;
        let descriptor = method.descriptor();
        let parameters = descriptor.parameters().iter().map(|one| TypePattern::of(Some(one)));
        let parameters = Some(parameters.collect::<Option<Vec<_>>>()?);
        let result = Some(TypePattern::of(descriptor.result())?);
        Some(Self { annotation: None, class, name: name.to_owned(), parameters, result })
    }

    /// The pattern of all methods with an annotation.
    #[must_use]
    pub fn marked(annotation: String) -> Self {
        let (class, name) = (ANY_CLASS.to_owned(), "*".to_owned());
        Self { annotation: Some(annotation), class, name, parameters: None, result: None }
    }

    /// Whether it is meant to match several methods: it has a `*` or an annotation.
    #[must_use]
    pub fn is_glob(&self) -> bool {
        let is_open = |types: &Vec<TypePattern>| types.last().is_some_and(TypePattern::is_any_number);
        self.class.contains('*')
            || self.name.contains('*')
            || self.annotation.is_some()
            || self.parameters.as_ref().is_some_and(is_open)
    }

    /// Whether it begins with `**`, and so says nothing of the package.
    #[must_use]
    pub fn is_of_any_package(&self) -> bool {
        self.class.starts_with(ANY_CLASS)
    }

    /// Whether a method with these annotations, as field descriptors, has the one that is asked for.
    #[must_use]
    pub fn allows_annotations(&self, annotations: &[String]) -> bool {
        let class = |descriptor: &String| descriptor.strip_prefix('L')?.strip_suffix(';').map(str::to_owned);
        self.annotation.as_ref().is_none_or(|wanted| {
            annotations.iter().filter_map(class).any(|class| ends_with_parts(&class, wanted))
        })
    }

    /// Whether it matches `method`, without regard to annotations.
    #[must_use]
    pub fn matches(&self, method: &MethodRef) -> bool {
        self.matches_class(method.class()) && self.matches_member(method)
    }

    /// Whether it has types of parameters or of a result.
    #[must_use]
    pub fn has_types(&self) -> bool {
        self.parameters.is_some() || self.result.is_some()
    }

    /// Whether it matches the name and the types of `method`, without regard to its class and annotations.
    #[must_use]
    pub fn matches_member(&self, method: &MethodRef) -> bool {
        let descriptor = method.descriptor();
        self.matches_name(method.name())
            && self.parameters.as_ref().is_none_or(|types| {
                let found = descriptor.parameters();
                let (named, any_more) = match types.split_last() {
                    Some((last, before)) if last.is_any_number() => (before, true),
                    _ => (&types[..], false),
                };
                (named.len() == found.len() || any_more && named.len() < found.len())
                    && named.iter().zip(found).all(|(one, found)| one.matches(Some(found)))
            })
            && self.result.as_ref().is_none_or(|result| result.matches(descriptor.result()))
    }

    /// Whether it matches methods of `class`, a binary name with slashes.
    #[must_use]
    pub fn matches_class(&self, class: &str) -> bool {
        glob::matches_path(&with_dots(&self.class), &with_dots(class))
    }

    fn matches_name(&self, name: &str) -> bool {
        if name.starts_with('<') { self.name == name } else { glob::matches(&self.name, name) }
    }
}

/// `pkg.Class#name(types): type`, with the annotation before it, or the annotation alone.
impl fmt::Display for MethodPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(annotation) = &self.annotation {
            write!(f, "@{annotation}")?;
            if *self == Self::marked(annotation.clone()) {
                return Ok(());
            }
            f.write_str(" ")?;
        }
        write!(f, "{}#{}", self.class, self.name)?;
        if let Some(parameters) = &self.parameters {
            let types: Vec<String> = parameters.iter().map(ToString::to_string).collect();
            write!(f, "({})", types.join(", "))?;
        }
        self.result.iter().try_for_each(|result| write!(f, ": {result}"))
    }
}

/// An erased type as Java names it: `int`, `String[]`, `java.util.Map.Entry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePattern {
    /// A primitive type, `void`, or a class with as much of its package as there is need for. One capital
    /// letter, with digits after it or not, is a type variable and means any class.
    pub name: String,
    /// Dimensions of the array; 0 for a type that is not an array.
    pub dimensions: usize,
}

impl TypePattern {
    /// The type of a class file, its package included; `None` as with [`MethodPattern::of`].
    fn of(found: Option<&FieldType>) -> Option<Self> {
        let plain = |name: &str| Some(Self { name: name.to_owned(), dimensions: 0 });
        match found {
            None => plain("void"),
            Some(FieldType::Array(text)) => {
                let element = text.trim_start_matches('[');
                let one = Self::of(FieldType::take(element).as_ref().map(|(element, _)| element))?;
                Some(Self { dimensions: text.len() - element.len(), ..one })
            }
            Some(FieldType::Object(class)) => plain(&java_class(class)?),
            Some(primitive) => plain(keyword(primitive)?),
        }
    }

    /// The stand-in for any number of types.
    pub(crate) fn any_number() -> Self {
        Self { name: ANY_TYPES.to_owned(), dimensions: 0 }
    }

    /// Whether it stands for any number of types.
    #[must_use]
    pub fn is_any_number(&self) -> bool {
        self.name == ANY_TYPES
    }

    /// Whether it matches the type of a class file; `None` is `void`.
    #[must_use]
    pub fn matches(&self, found: Option<&FieldType>) -> bool {
        let Some(found) = found else { return self.dimensions == 0 && self.name == "void" };
        let (dimensions, element) = if let FieldType::Array(text) = found {
            let element = text.trim_start_matches('[');
            let Some((element, _)) = FieldType::take(element) else { return false };
            (text.len() - text.trim_start_matches('[').len(), element)
        } else {
            (0, found.clone())
        };
        dimensions == self.dimensions && self.matches_element(&element)
    }

    fn matches_element(&self, element: &FieldType) -> bool {
        if let FieldType::Object(class) = element {
            self.matches_class(class)
        } else {
            keyword(element) == Some(&self.name)
        }
    }

    fn matches_class(&self, class: &str) -> bool {
        if is_type_variable(&self.name) {
            return true;
        }
        ends_with_parts(class, &self.name)
    }
}

impl fmt::Display for TypePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, "[]".repeat(self.dimensions))
    }
}

/// The last type of a pattern that may have more.
const ANY_TYPES: &str = "**";
/// The class part of a pattern that says nothing of the class.
const ANY_CLASS: &str = "**";

/// Whether a class is called so, with as much of its package as `name` has.
fn ends_with_parts(class: &str, name: &str) -> bool {
    let (class, name) = (with_dots(class), with_dots(name));
    class.strip_suffix(&name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Java's keyword for a primitive type.
fn keyword(primitive: &FieldType) -> Option<&'static str> {
    Some(match primitive {
        FieldType::Boolean => "boolean",
        FieldType::Byte => "byte",
        FieldType::Char => "char",
        FieldType::Short => "short",
        FieldType::Int => "int",
        FieldType::Long => "long",
        FieldType::Float => "float",
        FieldType::Double => "double",
        FieldType::Object(_) | FieldType::Array(_) => return None,
    })
}

/// A class name with dots between its packages, if all its parts are words of Java.
fn java_class(class: &str) -> Option<String> {
    class.split('/').all(is_word).then(|| class.replace('/', "."))
}

/// Whether Java could have it as a name, apart from keywords.
fn is_word(name: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    name.starts_with(|c: char| letter(c) && !c.is_ascii_digit()) && name.chars().all(letter)
}

/// Java's convention: `T`, `E`, `K2`. Only the class's signature says to which type it is erased.
fn is_type_variable(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_uppercase()) && chars.all(|c| c.is_ascii_digit())
}

/// Source code says `Map.Entry` where the class file says `Map$Entry`: both become dots.
fn with_dots(class: &str) -> String {
    class.replace(['/', '$'], ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_pattern_restrict_what_it_means() {
        let array = |name: &str, dimensions| TypePattern { name: name.into(), dimensions };
        let pattern =
            |class: &str, name: &str, parameters: Option<&[(&str, usize)]>, result: Option<&str>| {
                let parameters =
                    parameters.map(|all| all.iter().map(|(name, depth)| array(name, *depth)).collect());
                let result = result.map(|name| array(name, 0));
                MethodPattern { annotation: None, class: class.into(), name: name.into(), parameters, result }
            };
        let check = |pattern: MethodPattern, method: &str, expected: bool| {
            assert_eq!(pattern.matches(&method.parse().unwrap()), expected, "{pattern} {method}");
        };
        let get = "java/util/ArrayList.get(I)Ljava/lang/Object;";
        check(pattern("java.util.ArrayList", "get", None, None), get, true);
        check(pattern("ArrayList", "get", None, None), get, false);
        check(pattern("java.*.Array*", "g*", None, None), get, true);
        check(pattern("java.*", "g*", None, None), get, false);
        check(pattern("java.util.ArrayList", "get", Some(&[("int", 0)]), Some("Object")), get, true);
        check(pattern("java.util.ArrayList", "get", Some(&[("int", 0)]), Some("E")), get, true);
        check(pattern("java.util.ArrayList", "get", Some(&[("int", 0)]), Some("void")), get, false);
        check(pattern("java.util.ArrayList", "get", Some(&[("int", 1)]), None), get, false);
        check(pattern("java.util.ArrayList", "get", Some(&[("long", 0)]), None), get, false);
        check(pattern("java.util.ArrayList", "get", Some(&[]), None), get, false);
        let inner = "p/Out$In.f([[Lq/Map$Entry;[J)V";
        check(pattern("p.Out.In", "f", Some(&[("Map.Entry", 2), ("long", 1)]), Some("void")), inner, true);
        check(pattern("p.Out$In", "f", Some(&[("q.Map$Entry", 2), ("long", 1)]), None), inner, true);
        check(pattern("p.Out$In", "f", Some(&[("ap.Entry", 2), ("long", 1)]), None), inner, false);
        check(pattern("p.Out$In", "f", Some(&[("T", 2), ("long", 1)]), None), inner, true);
        check(pattern("p.Out$In", "f", Some(&[("T", 2), ("T", 1)]), None), inner, false);
        let any = Some(&[("int", 0), ("**", 0)][..]);
        check(pattern("p.C", "f", any, None), "p/C.f(I)V", true);
        check(pattern("p.C", "f", any, None), "p/C.f(IJLa/B;)V", true);
        check(pattern("p.C", "f", any, None), "p/C.f(JI)V", false);
        check(pattern("p.C", "f", any, None), "p/C.f()V", false);
        check(pattern("p.C", "f", Some(&[("**", 0)]), None), "p/C.f()V", true);
        check(pattern("p.C", "*", None, None), "p/C.<init>()V", false);
        check(pattern("p.C", "<init>", Some(&[]), None), "p/C.<init>()V", true);
    }

    #[test]
    fn an_annotation_is_named_with_as_much_of_its_package_as_needed() {
        let have = ["Lcom/shop/Timed;".to_owned(), "Lq/Out$Slow;".to_owned()];
        let check = |wanted: &str, expected: bool| {
            let pattern = MethodPattern::marked(wanted.to_owned());
            assert_eq!(pattern.allows_annotations(&have), expected, "{pattern}");
        };
        check("Timed", true);
        check("shop.Timed", true);
        check("com.shop.Timed", true);
        check("Out.Slow", true);
        check("med", false);
        check("hop.Timed", false);
        check("Out", false);
        assert!(!MethodPattern::marked("Timed".to_owned()).allows_annotations(&[]));
        assert!(MethodPattern::of(&"p/C.f()V".parse().unwrap()).unwrap().allows_annotations(&[]));
    }

    #[test]
    fn the_pattern_of_a_method_means_it() {
        let check = |method: &str, expected: Option<&str>| {
            let method: MethodRef = method.parse().unwrap();
            let pattern = MethodPattern::of(&method);
            assert_eq!(pattern.as_ref().map(ToString::to_string).as_deref(), expected, "{method}");
            assert!(pattern.is_none_or(|pattern| pattern.matches(&method)), "{method}");
        };
        check("p/C.f(ZBCSIJFD)V", Some("p.C#f(boolean, byte, char, short, int, long, float, double): void"));
        check("C$D.<init>([Lp/Q$R;[[J)V", Some("C$D#<init>(p.Q$R[], long[][]): void"));
        check("p/C.lambda$f$0(Lp/T;)[I", Some("p.C#lambda$f$0(p.T): int[]"));
        check("p/C.of-impl(I)I", None);
        check("p/C.f(Lp/package-info;)V", None);
        check("p/1.f()V", None);
    }
}
