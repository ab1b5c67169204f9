//! The classes of a class path and a JDK, and the methods that a pattern of a task file matches.

use super::container::{self, Container, Spot};
use super::nested::Allowance;
use super::{Jdk, Known, path};
use spl_bytecode::{ClassInfo, inspect};
use spl_lang::Classes;
use spl_lang::ast::MethodPattern;
use spl_model::MethodRef;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Names that are proposed for one that isn't found.
const MAX_NEAREST: usize = 3;

/// The classes that a program with this class path has, on this JDK. They are read without running Java.
#[derive(Debug, Default)]
pub struct Catalogue {
    containers: Vec<(PathBuf, Container)>,
    /// Number of the JDK's containers, which come first.
    jdk_containers: usize,
    /// Place of each class: the container's number, and the place in it. A class of the JDK comes before
    /// others of its name, then the first of the class path, as in Java's loaders.
    index: HashMap<String, (usize, Spot)>,
    /// Classes that were read; `None` for an unreadable one.
    read: HashMap<String, Option<Rc<ClassInfo>>>,
    /// The direct subtypes of each type, after the first request for them: among the program's classes, and
    /// among all.
    subtypes: [Option<HashMap<String, Vec<String>>>; 2],
    /// Number of classes that only a running JVM has named; `None` without one.
    loaded: Option<usize>,
    problems: Vec<String>,
    gaps: Vec<String>,
}

impl Catalogue {
    /// Opens all entries of a class path, with the archives that manifests add to it, and the JDK's classes.
    /// Entries that cannot be opened are left out and become [problems](Self::problems).
    #[must_use]
    pub fn open(class_path: &[PathBuf], jdk: Option<&Jdk>) -> Self {
        let mut catalogue = Self::default();
        if let Some(jdk) = jdk {
            catalogue.add_jdk(jdk);
            catalogue.jdk_containers = catalogue.containers.len();
        }
        let (release, mut allowance) = (jdk.and_then(|jdk| jdk.release), Allowance::default());
        for entry in path::with_manifests(class_path) {
            let mut opened = container::open(&entry, release);
            let libraries = opened.as_mut().map(|(own, _)| own.libraries(release, &mut allowance));
            let libraries = libraries.unwrap_or_default();
            catalogue.add(&entry, opened);
            for (name, library) in libraries {
                // As Java names it.
                let inside = PathBuf::from(format!("{}!/{name}", entry.display()));
                catalogue.add(&inside, library);
            }
        }
        catalogue
    }

    fn add_jdk(&mut self, jdk: &Jdk) {
        let image = jdk.home.join("lib/modules");
        if image.is_file() {
            return self.add(&image, container::open_image(&image));
        }
        let files = std::fs::read_dir(jdk.home.join("jmods")).into_iter().flatten().flatten();
        let modules: BTreeSet<PathBuf> = files.map(|file| file.path()).collect();
        if modules.is_empty() {
            let home = jdk.home.display();
            self.problems.push(format!("{home} is not a JDK: it has neither lib/modules nor jmods"));
        }
        for module in modules {
            self.add(&module, container::open(&module, None));
        }
    }

    fn add(&mut self, path: &Path, opened: std::io::Result<(Container, Vec<container::Named>)>) {
        match opened {
            Ok((container, classes)) => {
                let number = self.containers.len();
                self.gaps.extend(container.unread().iter().map(|why| format!("cannot read {why}")));
                self.containers.push((path.to_owned(), container));
                for (class, spot) in classes {
                    self.index.entry(class).or_insert((number, spot));
                }
            }
            Err(error) => self.problems.push(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Adds a class of a running JVM that no file has, or whose file is gone. Other known classes stay as they are.
    /// Gives whether it is new.
    pub(crate) fn add_loaded(&mut self, class: ClassInfo) -> bool {
        let name = class.name.clone();
        let is_new = self.class(&name).is_none();
        if is_new {
            // A loaded class lies in no container.
            self.index.insert(name.clone(), (usize::MAX, Spot::Entry(usize::MAX)));
            self.read.insert(name, Some(Rc::new(class)));
        }
        self.loaded = Some(self.loaded.unwrap_or(0) + usize::from(is_new));
        is_new
    }

    /// Number of classes that only a running JVM has named.
    #[must_use]
    pub fn loaded_count(&self) -> usize {
        self.loaded.unwrap_or(0)
    }

    /// Notes that a running JVM was asked for classes.
    pub(crate) fn was_asked(&mut self) {
        self.loaded.get_or_insert(0);
    }

    /// Whether a running JVM was asked for classes.
    pub(crate) fn is_of_jvm(&self) -> bool {
        self.loaded.is_some()
    }

    /// Number of files and folders with the program's classes.
    #[must_use]
    pub fn program_places(&self) -> usize {
        self.containers.len() - self.jdk_containers
    }

    /// Whether a class of the files is called so but for few letters.
    pub(crate) fn is_misspelt(&self, name: &str) -> bool {
        let most = (name.chars().count() / 3).min(3);
        let is_near = |class: &&String| {
            class.len().abs_diff(name.len()) <= most
                && (1..=most).contains(&strsim::damerau_levenshtein(class, name))
        };
        let of_files = self.index.iter().filter(|(_, (container, _))| *container < self.containers.len());
        of_files.map(|(class, _)| class).any(|class| is_near(&class))
    }

    /// Parts of folders that were left out, each a sentence for the operator; of many the first ones.
    #[must_use]
    pub fn gaps(&self) -> Vec<String> {
        const SAID: usize = 3;
        let more = self.gaps.len().saturating_sub(SAID);
        let first = self.gaps.iter().take(SAID).cloned();
        first.chain((more > 0).then(|| format!("{more} more folders cannot be read"))).collect()
    }

    /// Read errors so far, each a sentence for the operator.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Number of classes.
    #[must_use]
    pub fn class_count(&self) -> usize {
        self.index.len()
    }

    /// Whether any class is not the JDK's.
    #[must_use]
    pub fn has_program(&self) -> bool {
        self.program_places() > 0 || self.loaded_count() > 0
    }

    /// The file or folder that a class, binary name with slashes, is read from.
    #[must_use]
    pub fn origin(&self, class: &str) -> Option<&Path> {
        let (container, _) = self.index.get(class)?;
        Some(&self.containers.get(*container)?.0)
    }

    /// A class by its binary name with slashes; `None` if it does not exist or cannot be read.
    pub fn class(&mut self, name: &str) -> Option<Rc<ClassInfo>> {
        if let Some(known) = self.read.get(name) {
            return known.clone();
        }
        let class = self.inspect(name).map(Rc::new);
        if self.index.contains_key(name) {
            self.read.insert(name.to_owned(), class.clone());
        }
        class
    }

    fn inspect(&mut self, name: &str) -> Option<ClassInfo> {
        self.read(name).map(|(info, _)| info)
    }

    /// The class file of a class, binary name with slashes; `None` if there is none or it cannot be read. It
    /// is read again at each call.
    pub fn bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        self.read(name).map(|(_, bytes)| bytes)
    }

    /// The names of all classes, binary with slashes, in their order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.index.keys().cloned().collect();
        names.sort();
        names
    }

    /// Whether a class, binary name with slashes, is one of the JDK.
    #[must_use]
    pub fn is_of_jdk(&self, class: &str) -> bool {
        self.index.get(class).is_some_and(|(container, _)| *container < self.jdk_containers)
    }

    fn read(&mut self, name: &str) -> Option<(ClassInfo, Vec<u8>)> {
        let (number, spot) = self.index.get(name)?.clone();
        let (path, container) = self.containers.get_mut(number)?;
        let bytes = container.read(&spot).map_err(|error| error.to_string());
        let read = |bytes: Vec<u8>| match inspect(&bytes) {
            Ok(class) if class.name == name => Ok((class, bytes)),
            // The JVM loads no such class either (JVMS 5.3.5).
            Ok(class) => Err(format!("it contains the class {}, whose place is elsewhere", class.name)),
            Err(refusal) => Err(refusal.to_string()),
        };
        let read = bytes.and_then(read);
        read.map_err(|why| self.problems.push(format!("cannot read {name} in {}: {why}", path.display())))
            .ok()
    }

    /// The methods that a class, binary name with slashes, declares itself; empty if the class does not
    /// exist.
    pub fn methods(&mut self, class: &str) -> Vec<Known> {
        self.class(class).map_or_else(Vec::new, |class| Known::all(&class).collect())
    }

    /// One method; `None` if its class doesn't declare it.
    pub fn method(&mut self, method: &MethodRef) -> Option<Known> {
        self.methods(method.class()).into_iter().find(|known| known.method == *method)
    }

    /// The methods that a pattern of a task file means. A bridge, which the compiler adds to a method of the
    /// source, is meant only when no other method is. `*` leaves out methods without a body, because it can
    /// match many and those cannot be measured.
    pub fn meant(&mut self, pattern: &MethodPattern) -> Vec<Known> {
        let mut meant = self.all_meant(pattern);
        if pattern.is_glob() {
            meant.retain(|known| known.code_bytes.is_some());
        }
        if meant.iter().any(|known| !known.is_bridge()) {
            meant.retain(|known| !known.is_bridge());
        }
        meant
    }

    /// Every method that a pattern may mean.
    pub fn all_meant(&mut self, pattern: &MethodPattern) -> Vec<Known> {
        let classes = self.classes_meant(pattern);
        let methods = classes.iter().flat_map(|class| self.methods(class)).collect::<Vec<_>>();
        let matches =
            |known: &Known| pattern.matches(&known.method) && pattern.allows_annotations(&known.annotations);
        methods.into_iter().filter(matches).collect()
    }

    /// The classes that a pattern may mean, in the order of their names. A pattern that begins with `**` means
    /// classes of the program; the JDK's are meant when a package is named.
    pub fn classes_meant(&self, pattern: &MethodPattern) -> Vec<String> {
        if !pattern.class.contains('*') {
            // As the class file may have it: `p/Out/In`, `p/Out$In`, `p$Out$In`.
            let parts: Vec<&str> = pattern.class.split(['.', '$']).collect();
            let names = (1..=parts.len()).rev().map(|outer| {
                let (packages, inner) = parts.split_at(outer);
                [&[packages.join("/")], &inner.iter().map(ToString::to_string).collect::<Vec<_>>()[..]]
                    .concat()
                    .join("$")
            });
            let found: Vec<String> = names.filter(|name| self.index.contains_key(name)).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let is_near = |class: &&String| !pattern.is_of_any_package() || !self.is_of_jdk(class);
        let mut names: Vec<String> =
            self.index.keys().filter(|class| pattern.matches_class(class)).filter(is_near).cloned().collect();
        names.sort();
        names
    }

    /// Whether the JDK or another container has a package, with slashes, of this name.
    #[must_use]
    pub fn has_package(&self, package: &str) -> bool {
        self.index.keys().any(|class| class.rsplit_once('/').is_some_and(|(one, _)| one == package))
    }

    /// Packages, with slashes, that may be meant by one that no class is in: the nearest few.
    #[must_use]
    pub fn nearest_packages(&self, wanted: &str) -> Vec<String> {
        let of_class = |class: &String| class.rsplit_once('/').map(|(package, _)| package.to_owned());
        let packages: BTreeSet<String> = self.index.keys().filter_map(of_class).collect();
        let most = (wanted.chars().count() / 3).min(3);
        let distance = |package: String| {
            let distance = strsim::damerau_levenshtein(&package, wanted);
            (distance <= most).then_some((distance, package))
        };
        let mut near: Vec<(usize, String)> = packages.into_iter().filter_map(distance).collect();
        near.sort();
        near.into_iter().take(MAX_NEAREST).map(|(_, package)| package).collect()
    }

    /// Classes that may be meant by the unknown `name`: classes of the same simple name, then those few edits
    /// away.
    #[must_use]
    pub fn nearest_classes(&self, name: &str) -> Vec<String> {
        let simple = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
        let wanted = simple(name);
        // A third of the letters, as in rustc's proposals.
        let most = name.chars().count() / 3;
        let distance = |class: &String| {
            if simple(class) == wanted {
                return Some((0, class.clone()));
            }
            if class.len().abs_diff(name.len()) > most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(class, name);
            (distance <= most.min(3)).then(|| (distance, class.clone()))
        };
        let mut near: Vec<(usize, String)> = self.index.keys().filter_map(distance).collect();
        near.sort();
        near.into_iter().take(MAX_NEAREST).map(|(_, class)| class).collect()
    }

    /// The nearest method that is meant in the superclasses and superinterfaces of a class.
    pub fn inherited(&mut self, class: &str, is_meant: &dyn Fn(&MethodRef) -> bool) -> Option<Known> {
        let mut open = vec![class.to_owned()];
        let mut next = 0;
        while let Some(class) = open.get(next).and_then(|name| self.class(name)) {
            next += 1;
            let supers = class.super_name.iter().chain(&class.interfaces);
            let supers: Vec<String> = supers.filter(|name| !open.contains(name)).cloned().collect();
            for above in &supers {
                let found = self.methods(above).into_iter().find(|known| is_meant(&known.method));
                if found.is_some() {
                    return found;
                }
            }
            open.extend(supers.into_iter().filter(|name| self.index.contains_key(name)));
        }
        None
    }

    /// The methods of subtypes that have a body for an abstract method: first those of the program, then
    /// those of the same package as its class. The first call reads every class of the program; for a method
    /// of the JDK it reads the JDK's too.
    pub fn implementations(&mut self, method: &MethodRef) -> Vec<MethodRef> {
        let of_jdk = self.is_of_jdk(method.class());
        let known = usize::from(of_jdk);
        if self.subtypes[known].is_none() {
            self.subtypes[known] = Some(self.read_subtypes(of_jdk));
        }
        let mut below = BTreeSet::new();
        let mut open = vec![method.class().to_owned()];
        while let Some(class) = open.pop() {
            let all = self.subtypes[known].as_ref();
            let direct = all.and_then(|all| all.get(&class)).cloned().unwrap_or_default();
            open.extend(direct.into_iter().filter(|subtype| below.insert(subtype.clone())));
        }
        let wanted = |known: &Known| {
            let (one, descriptor) = (&known.method, method.descriptor());
            known.code_bytes.is_some() && one.name() == method.name() && one.descriptor() == descriptor
        };
        let of_class = |class: &String| {
            let all = self.methods(class);
            let found = all.iter().find(|known| wanted(known))?;
            Some(behind_bridge(found, &all).method.clone())
        };
        let mut found: Vec<MethodRef> = below.iter().filter_map(of_class).collect();
        let package =
            |class: &str| class.rsplit_once('/').map_or(String::new(), |(package, _)| package.to_owned());
        let own = package(method.class());
        // A program's own classes are nearer to its author than those of the JDK.
        found.sort_by_cached_key(|one| {
            (self.is_of_jdk(one.class()), package(one.class()) != own, one.clone())
        });
        found
    }

    fn read_subtypes(&mut self, with_jdk: bool) -> HashMap<String, Vec<String>> {
        let mut subtypes: HashMap<String, Vec<String>> = HashMap::new();
        let names: Vec<String> =
            self.index.keys().filter(|name| with_jdk || !self.is_of_jdk(name)).cloned().collect();
        for name in names {
            let Some(class) = self.inspect(&name) else { continue };
            for above in class.super_name.into_iter().chain(class.interfaces) {
                subtypes.entry(above).or_default().push(name.clone());
            }
        }
        subtypes
    }
}

impl Classes for Catalogue {
    fn meant(&mut self, pattern: &MethodPattern) -> Vec<MethodRef> {
        Self::meant(self, pattern).into_iter().map(|known| known.method).collect()
    }

    fn implementations(&mut self, method: &MethodRef) -> Option<Vec<MethodRef>> {
        let is_abstract = self.method(method).is_some_and(|known| known.is_abstract());
        is_abstract.then(|| Self::implementations(self, method))
    }
}

/// The method of the source behind a bridge, if only one can be: with the same name and as many parameters.
fn behind_bridge<'k>(found: &'k Known, all: &'k [Known]) -> &'k Known {
    let parameters = |known: &Known| known.method.descriptor().parameters().len();
    let mut own = all.iter().filter(|known| {
        !known.is_bridge()
            && known.method.name() == found.method.name()
            && parameters(known) == parameters(found)
            && known.code_bytes.is_some()
    });
    match (found.is_bridge(), own.next(), own.next()) {
        (true, Some(only), None) => only,
        _ => found,
    }
}
