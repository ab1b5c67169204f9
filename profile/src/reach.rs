//! Which counted methods a call may reach.
//!
//! Counts do not say which receiver a call had. So a call by an interface or of a virtual method is shared out over the methods that
//! it may reach, by the number of their calls in the whole program.

use spl_classfile::class::{ACC_STATIC, ClassFile};
use spl_classfile::mutf8;
use spl_graph::CallKind;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Access flag of private methods (JVMS 4.6).
const ACC_PRIVATE: u16 = 0x0002;
/// Most methods that a call by an interface is shared out over.
pub(crate) const REACHED: usize = 50;
const OBJECT: &str = "java/lang/Object";

/// The counted methods, as far as calls reach them.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// By name.
    methods: BTreeMap<String, Counted>,
    /// Names of the methods with a member that a receiver can choose.
    members: BTreeMap<String, BTreeSet<String>>,
    /// Superclass, then interfaces, of the classes that are known.
    supers: BTreeMap<String, Vec<String>>,
    /// Members of which all loaded classes' methods were counted.
    everywhere: BTreeSet<String>,
    /// Methods of the known classes, counted or not; only for a whole drill.
    declared: Option<BTreeSet<String>>,
}

#[derive(Clone, Debug)]
struct Counted {
    class: String,
    calls: u64,
}

/// A method that a call may reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached<'r> {
    /// Its name.
    pub name: &'r str,
    /// Its share of the calls, 0 to 1.
    pub share: f64,
    /// Whether the call may reach others instead.
    pub is_unsure: bool,
}

impl Reach {
    /// For a drill of which all counts are there. A call reaches what its class inherits and what counted classes below it have of
    /// their own. Where no such method was counted, it may reach those whose classes are not known to be others.
    #[must_use]
    pub fn of_whole_drill() -> Self {
        Self { declared: Some(BTreeSet::new()), ..Self::default() }
    }

    /// Takes in what a class extends and implements, and what it declares.
    pub fn add_class(&mut self, file: &ClassFile<'_>) {
        let Ok(class) = file.name().map(mutf8::decode) else { return };
        if let Some(declared) = &mut self.declared {
            let members = file.methods.iter();
            declared.extend(members.map(|method| name_of(&class, &member(method.name, method.descriptor))));
        }
        let interfaces = file.interfaces.as_chunks().0.iter().map(|index| u16::from_be_bytes(*index));
        let supers = [file.super_class].into_iter().chain(interfaces);
        let supers = supers.filter_map(|index| file.pool.class(index).ok()).map(mutf8::decode).collect();
        self.add_supers(class, supers);
    }

    pub(crate) fn add_supers(&mut self, class: String, supers: Vec<String>) {
        self.supers.insert(class, supers);
    }

    /// Takes in a counted method; `is_chosen` if a receiver may choose it, as [`chosen`] says.
    pub fn add(&mut self, class: &str, member: &str, calls: u64, is_chosen: bool) {
        let name = name_of(class, member);
        if is_chosen {
            self.members.entry(member.to_owned()).or_default().insert(name.clone());
        }
        self.methods.insert(name, Counted { class: class.to_owned(), calls });
    }

    /// Notes that the methods with this name and descriptor were counted in all loaded classes.
    pub fn counted_everywhere(&mut self, member: String) {
        self.everywhere.insert(member);
    }

    #[cfg(test)]
    pub(crate) fn forget_everywhere(&mut self) {
        self.everywhere.clear();
    }

    /// The counted methods that a call may reach, the most called first.
    #[must_use]
    pub fn of(&self, kind: CallKind, class: &str, member: &str) -> Vec<Reached<'_>> {
        let is_virtual = matches!(kind, CallKind::Virtual | CallKind::Interface);
        if is_virtual && class == OBJECT {
            // Most classes have their own, of which nothing is known.
            return Vec::new();
        }
        let found = if self.declared.is_some() { self.inherited(class, member) } else { None };
        let found = self.methods.get_key_value(&found.unwrap_or_else(|| name_of(class, member)));
        // Without all counts of a drill, what the call names is taken for what it reaches.
        if !is_virtual
            || found.is_some_and(|(name, _)| self.declared.is_none() || !self.is_chosen(member, name))
        {
            let reached = found.map(|(name, _)| Reached { name, share: 1.0, is_unsure: false });
            return reached.into_iter().collect();
        }
        if self.declared.is_none() && !self.everywhere.contains(member) {
            return Vec::new();
        }
        self.shared(class, member, found.map(|(name, _)| &**name))
    }

    /// The counted methods that a call on a receiver of a class may reach; `None` unless all loaded classes' methods with the name and
    /// descriptor were counted, and for members that every class has. A private method is known by itself: no receiver chooses another
    /// one, though compilers since JDK 11 call it as if (JVMS 5.4.6).
    pub(crate) fn everywhere(&self, class: &str, member: &str) -> Option<Vec<Reached<'_>>> {
        let named = self.methods.get_key_value(&name_of(class, member));
        if let Some((name, _)) = named.filter(|(name, _)| !self.is_chosen(member, name)) {
            return Some(vec![Reached { name, share: 1.0, is_unsure: false }]);
        }
        let is_known = class != OBJECT && self.everywhere.contains(member);
        is_known.then(|| self.shared(class, member, None))
    }

    fn is_chosen(&self, member: &str, name: &str) -> bool {
        self.members.get(member).is_some_and(|all| all.contains(name))
    }

    /// The methods that a receiver of this class may choose; `inherited` is the one of the class itself.
    fn shared(&self, class: &str, member: &str, inherited: Option<&str>) -> Vec<Reached<'_>> {
        let mut all: Vec<(&str, f64, Option<bool>)> = Vec::new();
        for name in self.members.get(member).into_iter().flatten() {
            let Some(counted) = self.methods.get(name) else { continue };
            let fits =
                if inherited == Some(name) { Some(true) } else { self.is_kind_of(&counted.class, class) };
            all.push((name, counted.calls as f64, fits));
        }
        // Other classes may fit or not.
        let fits_for_sure = all.iter().any(|(_, _, fits)| *fits == Some(true));
        if fits_for_sure {
            all.retain(|(_, _, fits)| *fits == Some(true));
        } else if self.declared.is_some() {
            all.retain(|(_, _, fits)| fits.is_none());
        }
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        all.truncate(REACHED);
        let calls: f64 = all.iter().map(|(_, calls, _)| calls).sum();
        let is_unsure = all.len() > 1 || self.declared.is_some() && !fits_for_sure;
        let share = |of: f64| if calls > 0.0 { of / calls } else { 0.0 };
        all.into_iter().map(|(name, of, _)| Reached { name, share: share(of), is_unsure }).collect()
    }

    /// The method that a class has by this name, its own or an inherited one (JVMS 5.4.3.3, where a superclass goes before
    /// interfaces). `None` where that is not known.
    fn inherited(&self, class: &str, member: &str) -> Option<String> {
        let declared = self.declared.as_ref()?;
        let (mut seen, mut rest) = (BTreeSet::new(), VecDeque::from([class]));
        while let Some(one) = rest.pop_front() {
            let name = name_of(one, member);
            if declared.contains(&name) {
                return Some(name);
            }
            if !seen.insert(one) {
                continue;
            }
            if let [first, others @ ..] = self.supers.get(one).map(Vec::as_slice).unwrap_or_default() {
                // A superclass that is not known may have it.
                if first != OBJECT && !self.supers.contains_key(first) {
                    return None;
                }
                rest.push_front(first);
                rest.extend(others.iter().map(String::as_str));
            }
        }
        None
    }

    /// Whether a class has another one among its superclasses and interfaces; `None` where some of them are not known.
    fn is_kind_of(&self, class: &str, other: &str) -> Option<bool> {
        let (mut seen, mut rest, mut is_known) = (BTreeSet::new(), vec![class], true);
        while let Some(one) = rest.pop() {
            if one == other {
                return Some(true);
            }
            if seen.insert(one) && one != OBJECT {
                match self.supers.get(one) {
                    Some(supers) => rest.extend(supers.iter().map(String::as_str)),
                    None => is_known = false,
                }
            }
        }
        is_known.then_some(false)
    }
}

/// Whether a receiver chooses a method with these access flags (JVMS 4.6).
#[must_use]
pub fn chosen(access: u16) -> bool {
    access & (ACC_STATIC | ACC_PRIVATE) == 0
}

/// Name and descriptor, which are in the class file's encoding.
#[must_use]
pub fn member(name: &[u8], descriptor: &[u8]) -> String {
    format!("{}{}", mutf8::decode(name), mutf8::decode(descriptor))
}

fn name_of(class: &str, member: &str) -> String {
    format!("{class}.{member}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drill of these methods with their calls, of classes with these superclasses and interfaces.
    fn drill(methods: &[(&str, u64)], supers: &[(&str, &[&str])]) -> Reach {
        let mut reach = Reach::of_whole_drill();
        for (name, calls) in methods {
            let (class, member) = name.split_once('.').unwrap();
            reach.declared.as_mut().unwrap().insert((*name).to_owned());
            if *calls > 0 {
                reach.add(class, member, *calls, !member.starts_with("own"));
            }
        }
        for (class, supers) in supers {
            reach.add_supers((*class).to_owned(), supers.iter().map(|name| (*name).to_owned()).collect());
        }
        reach
    }

    #[track_caller]
    fn check(reach: &Reach, kind: CallKind, class: &str, member: &str, expected: &[(&str, f64, bool)]) {
        let found = reach.of(kind, class, member);
        let found: Vec<_> = found.iter().map(|one| (one.name, one.share, one.is_unsure)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_receiver_below_may_have_its_own() {
        let supers: [(&str, &[&str]); 4] =
            [("A", &[OBJECT]), ("B", &["A"]), ("C", &["B"]), ("Other", &[OBJECT, "X"])];
        let all = [("A.f()", 30), ("B.f()", 0), ("C.f()", 10), ("Other.f()", 60), ("A.own()", 5)];
        let reach = drill(&all, &supers);
        let of_a = [("A.f()", 0.75, true), ("C.f()", 0.25, true)];
        check(&reach, CallKind::Virtual, "A", "f()", &of_a);
        // That of `B` never ran, so it is not that of `A` either.
        check(&reach, CallKind::Virtual, "B", "f()", &[("C.f()", 1.0, false)]);
        check(&reach, CallKind::Special, "B", "f()", &[]);
        check(&reach, CallKind::Special, "A", "f()", &[("A.f()", 1.0, false)]);
        check(&reach, CallKind::Static, "C", "own()", &[("A.own()", 1.0, false)]);
        check(&reach, CallKind::Virtual, "C", "own()", &[("A.own()", 1.0, false)]);
        check(&reach, CallKind::Virtual, OBJECT, "f()", &[]);
    }

    #[test]
    fn a_private_method_is_reached_though_others_have_its_name() {
        let mut reach = Reach::default();
        reach.add("A", "compile()", 5, false);
        reach.add("B", "compile()", 90, true);
        let of = |reach: &Reach, class| {
            let found = reach.everywhere(class, "compile()")?;
            Some(found.iter().map(|one| one.name.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&reach, "A"), Some(vec!["A.compile()".to_owned()]));
        assert_eq!(of(&reach, "B"), None, "other classes below may have it too");
        reach.counted_everywhere("compile()".to_owned());
        assert_eq!(of(&reach, "A"), Some(vec!["A.compile()".to_owned()]));
        assert_eq!(of(&reach, "B"), Some(vec!["B.compile()".to_owned()]));
    }

    #[test]
    fn a_class_inherits_and_only_unknown_ones_may_fit() {
        let supers: [(&str, &[&str]); 4] =
            [("A", &[OBJECT, "I"]), ("B", &["A"]), ("C", &["Unknown"]), ("D", &[OBJECT])];
        let reach = drill(&[("A.f()", 30), ("C.f()", 10), ("D.f()", 60)], &supers);
        check(&reach, CallKind::Virtual, "B", "f()", &[("A.f()", 1.0, false)]);
        check(&reach, CallKind::Interface, "I", "f()", &[("A.f()", 1.0, false)]);
        check(&reach, CallKind::Interface, "J", "f()", &[("A.f()", 0.75, true), ("C.f()", 0.25, true)]);
        let reach = drill(&[("C.f()", 10), ("D.f()", 60)], &supers);
        check(&reach, CallKind::Interface, "J", "f()", &[("C.f()", 1.0, true)]);
        // The superclass of `C` is not known, so it may inherit anything.
        check(&reach, CallKind::Virtual, "C", "g()", &[]);
    }
}
