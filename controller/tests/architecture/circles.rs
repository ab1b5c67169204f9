//! Which file of a crate uses which, read from its source, and the circles in that.
//!
//! The rule: a file uses another when it names something of it by a path, in a `use` or in the code, that
//! begins with `crate`, `self`, `super` or a module of its own. A module and its children are separate files:
//! a parent that names what a child defines, and a child that names what the parent defines, make a circle.
//! A name that a file passes on with `pub use` leads to the file that defines it; such a line counts for the
//! file that has it only if that uses the name itself. These do not count: `mod`, methods (a parent may call
//! what a child has in an `impl`), what macros write, and what is built for tests alone.

use crate::source::{Token, group, tokens};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// The names of a module, from the crate's root.
type Module = Vec<String>;

/// One name that a `use` brings in; `None` for all of them.
#[derive(Debug)]
struct Import {
    path: Vec<String>,
    name: Option<String>,
    passed_on: bool,
}

#[derive(Debug, Default)]
struct Scope {
    file: PathBuf,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in the code.
    paths: Vec<Vec<String>>,
    /// Words in the code.
    words: BTreeSet<String>,
}

/// The modules of one crate.
#[derive(Debug, Default)]
pub struct Crate {
    scopes: BTreeMap<Module, Scope>,
}

/// Which file uses which, and one of the paths by which it does.
type Uses = BTreeMap<PathBuf, BTreeMap<PathBuf, String>>;

impl Crate {
    /// Reads the crate with this root file; `read` gives the text of a file that exists.
    pub fn read(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut found = Self::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        found.file(Vec::new(), root, &folder, read);
        found
    }

    /// Every circle of files, as a text that names each file of it and what leads to the next one.
    pub fn circles(&self) -> Vec<String> {
        let uses = self.uses();
        let mut told = BTreeSet::new();
        let mut circles = Vec::new();
        for file in uses.keys() {
            let Some(way) = way_back(file, &uses).filter(|way| !way.iter().any(|one| told.contains(one)))
            else {
                continue;
            };
            let mut text = file.display().to_string();
            for (from, to) in way.iter().zip(way.iter().cycle().skip(1)) {
                text.push_str(&format!("\n  -> {} by {}", to.display(), uses[from][to]));
            }
            told.extend(way);
            circles.push(text);
        }
        circles
    }

    fn file(&mut self, module: Module, path: &Path, folder: &Path, read: &dyn Fn(&Path) -> Option<String>) {
        let Some(text) = read(path) else { return };
        let files = self.scope(module, path, &tokens(&text));
        for child in files {
            let below = child.iter().fold(folder.to_owned(), |folder, name| folder.join(name));
            let places = [below.with_extension("rs"), below.join("mod.rs")];
            for place in places.iter().filter(|place| read(place).is_some()) {
                self.file(child.clone(), place, folder, read);
            }
        }
    }

    /// Reads one module; gives the modules that have files of their own.
    fn scope(&mut self, module: Module, file: &Path, tokens: &[Token]) -> Vec<Module> {
        let mut scope = Scope { file: file.to_owned(), ..Scope::default() };
        let (mut files, mut at, mut passed_on) = (Vec::new(), 0, false);
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1).and_then(Token::word);
            match (token.word(), next) {
                (Some("pub"), _) => {
                    at += 1;
                    if tokens.get(at).is_some_and(|token| token.is('(')) {
                        at = group(tokens, at);
                    }
                    passed_on = true;
                    continue;
                }
                (Some("use"), _) => {
                    let end =
                        tokens[at..].iter().position(|token| token.is(';')).map_or(tokens.len(), |n| at + n);
                    tree(&tokens[at + 1..end], &[], passed_on, &mut scope.imports);
                    at = end;
                }
                (Some("mod"), Some(name)) => {
                    let child = [module.clone(), vec![name.to_owned()]].concat();
                    scope.children.insert(name.to_owned());
                    at += 2;
                    if tokens.get(at).is_some_and(|token| token.is('{')) {
                        let end = group(tokens, at);
                        files.extend(self.scope(child, file, &tokens[at + 1..end - 1]));
                        at = end - 1;
                    } else {
                        files.push(child);
                    }
                }
                (Some("fn" | "struct" | "enum" | "trait" | "type" | "const" | "static"), Some(name)) => {
                    scope.defined.insert(name.to_owned());
                    at += 1;
                }
                (Some(_), _) => at = path(tokens, at, &mut scope) - 1,
                (None, _) => {}
            }
            passed_on = false;
            at += 1;
        }
        self.scopes.insert(module, scope);
        files
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (module, scope) in &self.scopes {
            let imported = scope.imports.iter().filter(|import| {
                !import.passed_on || import.name.as_ref().is_some_and(|name| scope.words.contains(name))
            });
            for path in imported.map(|import| &import.path).chain(&scope.paths) {
                let Some(used) = self.file_of(module, path, 0).filter(|used| *used != scope.file) else {
                    continue;
                };
                uses.entry(scope.file.clone()).or_default().entry(used).or_insert_with(|| path.join("::"));
            }
        }
        uses
    }

    /// The file that defines what a path of a module names; `None` for other crates.
    fn file_of(&self, module: &[String], path: &[String], depth: usize) -> Option<PathBuf> {
        let (first, mut rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            child if self.scopes.get(module)?.children.contains(child) => {
                [module, &[child.to_owned()]].concat()
            }
            _ => return None,
        };
        while let Some((name, behind)) = rest.split_first() {
            let scope = self.scopes.get(&here)?;
            if name == "super" {
                here.pop();
            } else if scope.children.contains(name) {
                here.push(name.clone());
            } else if !scope.defined.contains(name) && depth < 16 {
                let passed = scope.imports.iter().filter_map(|import| match &import.name {
                    Some(imported) => (imported == name).then(|| [&import.path, behind].concat()),
                    None => Some([&import.path, rest].concat()),
                });
                let defines = |path: &Vec<String>| self.defines(&here, path, depth);
                let Some(path) = passed.into_iter().find(defines) else { break };
                return self.file_of(&here, &path, depth + 1);
            } else {
                break;
            }
            rest = behind;
        }
        self.scopes.get(&here).map(|scope| scope.file.clone())
    }

    /// Whether a path leads to this crate.
    fn defines(&self, module: &[String], path: &[String], depth: usize) -> bool {
        self.file_of(module, path, depth + 1).is_some()
    }
}

/// The names that a tree of imports brings in.
fn tree(tokens: &[Token], before: &[String], passed_on: bool, imports: &mut Vec<Import>) {
    let mut path = before.to_vec();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Word(word) if word == "as" => {
                let name = tokens.get(at + 1).and_then(Token::word).map(str::to_owned);
                return imports.push(Import { path, name, passed_on });
            }
            // `x::{self}` is `x`.
            Token::Word(word) if word == "self" && !path.is_empty() => {}
            Token::Word(word) => path.push(word.clone()),
            Token::Sign('*') => return imports.push(Import { path, name: None, passed_on }),
            Token::Sign('{') => {
                let inner = &tokens[at + 1..group(tokens, at) - 1];
                return branches(inner).for_each(|branch| tree(branch, &path, passed_on, imports));
            }
            Token::Colons | Token::Sign(_) => {}
        }
        at += 1;
    }
    if let Some(name) = path.last().cloned() {
        imports.push(Import { path, name: Some(name), passed_on });
    }
}

/// The parts between the commas of a group.
fn branches(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let mut depth = 0;
    tokens.split(move |token| {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => depth -= 1,
            _ => {}
        }
        depth == 0 && token.is(',')
    })
}

/// Takes the path or the word that stands in the code here; gives where it ends.
fn path(tokens: &[Token], at: usize, scope: &mut Scope) -> usize {
    let mut path = Vec::new();
    let mut end = at;
    while let Some(word) = tokens.get(end).and_then(Token::word) {
        path.push(word.to_owned());
        end += 1;
        if tokens.get(end) != Some(&Token::Colons) {
            break;
        }
        end += 1;
    }
    scope.words.insert(path[0].clone());
    if path.len() > 1 {
        scope.paths.push(path);
    }
    end.max(at + 1)
}

/// The shortest way from a file over others back to it, where there is one.
fn way_back(file: &Path, uses: &Uses) -> Option<Vec<PathBuf>> {
    let mut ways = VecDeque::from([vec![file.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in uses.get(way.last()?).into_iter().flat_map(BTreeMap::keys) {
            if next == file {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push_back([way.clone(), vec![next.clone()]].concat());
            }
        }
    }
    None
}
