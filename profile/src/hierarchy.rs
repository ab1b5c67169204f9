//! The classes of a drill with their methods: the method that a call names, and the one that a receiver chooses.

use crate::class::CountedClass;
use crate::reach::member;
use spl_classfile::class::{ACC_NATIVE, ACC_STATIC, ClassFile};
use spl_classfile::mutf8;
use spl_model::is_of_jdk;
use std::collections::{BTreeMap, BTreeSet};

/// Access flags (JVMS 4.6).
const ACC_PUBLIC: u16 = 0x0001;
const ACC_PRIVATE: u16 = 0x0002;
const ACC_PROTECTED: u16 = 0x0004;
const ACC_ABSTRACT: u16 = 0x0400;
/// Most superclasses of a class that are looked through, and most interfaces.
const DEEPEST: usize = 1000;
/// The class that arrays have their methods from.
const OBJECT: &str = "java/lang/Object";
/// Its methods that a call may name, in every JDK.
const OF_OBJECT: [&str; 11] = [
    "getClass()Ljava/lang/Class;",
    "hashCode()I",
    "equals(Ljava/lang/Object;)Z",
    "clone()Ljava/lang/Object;",
    "toString()Ljava/lang/String;",
    "notify()V",
    "notifyAll()V",
    "wait()V",
    "wait(J)V",
    "wait(JI)V",
    "finalize()V",
];

/// Whether a method counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Native,
    Counted,
    Other,
}

/// A method of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Own {
    kind: Method,
    access: u16,
}

impl Own {
    /// Whether classes of other packages may override it.
    fn is_open(self) -> bool {
        self.access & (ACC_PUBLIC | ACC_PROTECTED) != 0
    }

    /// Whether receivers may choose it.
    fn is_of_objects(self) -> bool {
        self.access & (ACC_PRIVATE | ACC_STATIC) == 0
    }
}

/// A class, as far as it is known.
#[derive(Clone, Debug)]
struct Declared {
    above: Option<String>,
    interfaces: Vec<String>,
    methods: BTreeMap<String, Own>,
}

/// The classes of a drill, by their names with slashes.
#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    declared: BTreeMap<String, Declared>,
}

impl Hierarchy {
    /// Only of the root of all classes something is known.
    pub(crate) fn new() -> Self {
        let own = |member: &&str| ((*member).to_owned(), Own { kind: Method::Other, access: ACC_PUBLIC });
        let methods = OF_OBJECT.iter().map(own).collect();
        let object = Declared { above: None, interfaces: Vec::new(), methods };
        Self { declared: BTreeMap::from([(OBJECT.to_owned(), object)]) }
    }

    /// Takes in a class.
    pub(crate) fn add(&mut self, class: &CountedClass) {
        let Ok(file) = ClassFile::read(&class.bytes) else { return };
        let counts = |one: &str| {
            let mut counted = class.methods.iter().filter(|method| method.counters.is_ok());
            counted.any(|method| one.strip_prefix(&*method.name) == Some(&method.descriptor))
        };
        let methods = file.methods.iter().map(|method| {
            let member = member(method.name, method.descriptor);
            let kind = match method.access & ACC_NATIVE != 0 {
                true => Method::Native,
                false if counts(&member) => Method::Counted,
                false => Method::Other,
            };
            (member, Own { kind, access: method.access })
        });
        let methods = methods.collect();
        let named = |index: u16| file.pool.class(index).ok().map(mutf8::decode);
        let interfaces = file.interfaces.as_chunks::<2>().0.iter();
        let interfaces = interfaces.filter_map(|index| named(u16::from_be_bytes(*index))).collect();
        self.declared
            .insert(class.name.clone(), Declared { above: named(file.super_class), interfaces, methods });
    }

    /// The class whose method a call names by this name and descriptor, its own or that of a superclass (JVMS 5.4.3.3).
    pub(crate) fn resolved(&self, class: &str, member: &str) -> Option<(&str, Method)> {
        let (class, own) = self.declaring(class, member)?;
        Some((class, own.kind))
    }

    fn declaring(&self, class: &str, member: &str) -> Option<(&str, Own)> {
        let mut class = if class.starts_with('[') { OBJECT } else { class };
        for _ in 0..DEEPEST {
            let (name, declared) = self.declared.get_key_value(class)?;
            if let Some(own) = declared.methods.get(member) {
                return Some((name, *own));
            }
            class = declared.above.as_deref()?;
        }
        None
    }

    /// The class whose method an object of a class chooses, where a call names that of the class `named` (JVMS 5.4.6); `None` where a class is not
    /// known that may have it.
    pub(crate) fn chosen(&self, receiver: &str, named: &str, member: &str) -> Option<(&str, Method)> {
        let resolved = self.declaring(named, member);
        if let Some((class, own)) = resolved.filter(|(_, own)| own.access & ACC_PRIVATE != 0) {
            return Some((class, own.kind));
        }
        if let Some((home, _)) = resolved.filter(|(_, own)| !own.is_open()) {
            return self.overriding(receiver, home, member);
        }
        let mut class = if receiver.starts_with('[') { OBJECT } else { receiver };
        for _ in 0..DEEPEST {
            let (name, declared) = self.declared.get_key_value(class)?;
            if let Some(own) = declared.methods.get(member).filter(|own| own.is_of_objects()) {
                return Some((name, own.kind));
            }
            match &declared.above {
                Some(above) => class = above,
                None => return self.inherited(receiver, member),
            }
        }
        None
    }

    /// The class whose method an object chooses in place of that of the class `home`, which its package alone may override: a class of another
    /// package overrides it by way of one between them that lets it (JVMS 5.4.5).
    fn overriding(&self, receiver: &str, home: &str, member: &str) -> Option<(&str, Method)> {
        let (mut all, mut class) = (Vec::new(), receiver);
        for _ in 0..DEEPEST {
            let (name, declared) = self.declared.get_key_value(class)?;
            all.extend(
                declared.methods.get(member).filter(|own| own.is_of_objects()).map(|own| (&**name, *own)),
            );
            if name == home {
                break;
            }
            class = declared.above.as_deref()?;
        }
        let mut family: Vec<(&str, Own)> = Vec::new();
        for (name, own) in all.into_iter().rev() {
            let lets = |(of, other): &(&str, Own)| other.is_open() || package(of) == package(name);
            if name == home || family.iter().any(lets) {
                family.push((name, own));
            }
        }
        family.last().map(|(name, own)| (*name, own.kind))
    }

    /// The interface whose method a class inherits that has none from its superclasses, if all its interfaces are known.
    fn inherited(&self, class: &str, member: &str) -> Option<(&str, Method)> {
        let all = self.all_above(class)?;
        let has = |name: &&str| {
            let own = self.declared.get(*name).and_then(|declared| declared.methods.get(member));
            own.is_some_and(|own| own.is_of_objects() && own.access & ACC_ABSTRACT == 0)
        };
        let having: Vec<&str> = all.into_iter().filter(has).collect();
        let is_above = |one: &str, other: &str| one != other && self.is_below(other, one);
        let mut most_specific = having.iter().filter(|one| !having.iter().any(|other| is_above(one, other)));
        let (found, None) = (most_specific.next()?, most_specific.next()) else { return None };
        self.resolved(found, member)
    }

    /// A class with all classes and interfaces above it; `None` if one of them is not known.
    fn all_above<'s>(&'s self, class: &str) -> Option<BTreeSet<&'s str>> {
        let (mut all, mut open) = (BTreeSet::new(), vec![class]);
        while let Some(class) = open.pop() {
            let (name, declared) = self.declared.get_key_value(class)?;
            if all.len() < DEEPEST && all.insert(&**name) {
                open.extend(declared.above.iter().chain(&declared.interfaces).map(|name| &**name));
            }
        }
        Some(all)
    }

    /// Whether a class is `above` or one below it, as far as classes are known.
    pub(crate) fn is_below(&self, class: &str, above: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![class]);
        while let Some(class) = open.pop() {
            if class == above {
                return true;
            }
            let Some(declared) = self.declared.get(class).filter(|_| seen.len() < DEEPEST) else { continue };
            if seen.insert(class) {
                open.extend(declared.above.iter().chain(&declared.interfaces).map(|name| &**name));
            }
        }
        false
    }

    /// The classes of one number that receivers may have where a call names the class `below`: the ones surely below it, else all but classes
    /// of the JDK where that cannot be.
    pub(crate) fn possible<'c>(&self, classes: impl Iterator<Item = &'c String>, below: &str) -> Vec<String> {
        let all: Vec<&String> = classes.collect();
        let sure: Vec<&String> = all.iter().copied().filter(|name| self.is_below(name, below)).collect();
        // The receiver's class may have been unloaded: a class of the JDK with its number is not below one of the program.
        let possibly = |name: &&String| is_of_jdk(below) || !is_unrelated(name);
        let names = if sure.is_empty() { all.into_iter().filter(possibly).collect() } else { sure };
        names.into_iter().cloned().collect()
    }
}

/// Whether a class of the JDK cannot be below one of a program. The JDK's proxies may be below any interface.
fn is_unrelated(class: &str) -> bool {
    is_of_jdk(class) && !["jdk/proxy", "com/sun/proxy/"].iter().any(|proxies| class.starts_with(proxies))
}

/// The package of a class.
fn package(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::CountedMethod;
    use spl_classes::{Catalogue, Jdk};

    /// These classes of the JDK, in which all methods with code count.
    fn hierarchy(names: &[&str]) -> Hierarchy {
        let jdk = Jdk::installed().expect("the tests have a JDK");
        let mut catalogue = Catalogue::open(&[], Some(&jdk));
        let mut all = Hierarchy::new();
        for name in names {
            let bytes = catalogue.bytes(name).expect("every JDK has it");
            let file = ClassFile::read(&bytes).expect("a class file");
            let methods =
                file.methods.iter().filter(|method| method.code.is_some()).map(|method| CountedMethod {
                    name: mutf8::decode(method.name),
                    descriptor: mutf8::decode(method.descriptor),
                    first: 0,
                    counters: Ok(1),
                });
            let methods = methods.collect();
            all.add(&CountedClass {
                name: (*name).to_owned(),
                bytes: bytes.clone(),
                from_start: true,
                methods,
            });
        }
        all
    }

    const LIST: [&str; 9] = [
        "java/lang/Iterable",
        "java/util/Collection",
        "java/util/List",
        "java/util/RandomAccess",
        "java/lang/Cloneable",
        "java/io/Serializable",
        "java/util/AbstractCollection",
        "java/util/AbstractList",
        "java/util/ArrayList",
    ];
    const STREAM: &str = "stream()Ljava/util/stream/Stream;";

    #[test]
    fn a_receiver_chooses_the_nearest_method() {
        let all = hierarchy(&LIST);
        let list = "java/util/ArrayList";
        let chosen = |receiver: &str, named: &str, member: &str| all.chosen(receiver, named, member);
        assert_eq!(chosen(list, "java/util/List", "size()I"), Some((list, Method::Counted)));
        let above = Some(("java/util/AbstractCollection", Method::Counted));
        assert_eq!(chosen(list, "java/util/Collection", "containsAll(Ljava/util/Collection;)Z"), above);
        assert_eq!(chosen(list, OBJECT, "getClass()Ljava/lang/Class;"), Some((OBJECT, Method::Other)));
        assert_eq!(chosen("[I", "[I", "clone()Ljava/lang/Object;"), Some((OBJECT, Method::Other)));
        // The code chooses a private method, not the receiver.
        let own = "grow()[Ljava/lang/Object;";
        assert_eq!(chosen("java/util/AbstractList", list, own), Some((list, Method::Counted)));
        assert_eq!(chosen(list, list, "none()V"), None);
        assert_eq!(chosen("a/Lambda", "java/util/List", "size()I"), None, "its class is not known");
    }

    #[test]
    fn a_default_method_is_inherited_where_all_interfaces_are_known() {
        let list = "java/util/ArrayList";
        let inherited = Some(("java/util/Collection", Method::Counted));
        assert_eq!(hierarchy(&LIST).chosen(list, "java/util/List", STREAM), inherited);
        for missing in ["java/util/RandomAccess", "java/util/List", "java/util/AbstractList"] {
            let others: Vec<&str> = LIST.into_iter().filter(|name| *name != missing).collect();
            assert_eq!(hierarchy(&others).chosen(list, "java/util/Collection", STREAM), None, "{missing}");
        }
    }

    #[test]
    fn another_package_overrides_by_way_of_an_open_method_only() {
        let mut all = Hierarchy::new();
        for (class, above, access) in [
            ("p/A", OBJECT, 0),
            ("q/Other", "p/A", ACC_PUBLIC),
            ("p/Own", "q/Other", 0),
            ("p/Open", "p/A", ACC_PUBLIC),
            ("q/Below", "p/Open", ACC_PUBLIC),
            ("r/Last", "q/Below", 0),
        ] {
            let own = Own { kind: Method::Counted, access };
            let methods = BTreeMap::from([("f()V".to_owned(), own)]);
            let declared = Declared { above: Some(above.to_owned()), interfaces: Vec::new(), methods };
            all.declared.insert(class.to_owned(), declared);
        }
        let chosen = |receiver| all.chosen(receiver, "p/A", "f()V").map(|(class, _)| class);
        for (receiver, class) in [
            ("p/A", "p/A"),
            ("q/Other", "p/A"),
            ("p/Own", "p/Own"),
            ("p/Open", "p/Open"),
            ("q/Below", "q/Below"),
            ("r/Last", "r/Last"),
        ] {
            assert_eq!(chosen(receiver), Some(class), "{receiver}");
        }
        assert_eq!(all.chosen("q/Other", "q/Other", "f()V"), Some(("q/Other", Method::Counted)));
        assert_eq!(chosen("r/Unknown"), None);
    }

    #[test]
    fn a_more_specific_default_method_hides_the_one_above() {
        let names = [
            "java/lang/Iterable",
            "java/util/Collection",
            "java/util/List",
            "java/util/Set",
            "java/util/SortedSet",
        ];
        let all = hierarchy(&names);
        let of = |class: &str| all.inherited(class, "spliterator()Ljava/util/Spliterator;");
        for class in &names {
            assert_eq!(of(class), Some((*class, Method::Counted)));
        }
        assert_eq!(
            all.inherited("java/util/SortedSet", STREAM),
            Some(("java/util/Collection", Method::Counted))
        );
    }
}
