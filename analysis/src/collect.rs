//! From the classes of a drill to the tallies of spaces.

use crate::amount::Bounds;
use crate::count::{Beside, counted, uncounted};
use crate::heard::Heard;
use crate::metric::{Has, Need};
use crate::of_drill::OfDrill;
use crate::space::Space;
use crate::tally::Tally;
use crate::under_way::UnderWay;
use spl_classfile::class::Method;
use spl_classfile::mutf8;
use spl_export::{Activations, Allocations, Class, Document, Fault, Sites, archive_fault};
use spl_graph::forms::method_name;
use spl_model::one_line;
use std::collections::BTreeMap;

/// The class whose methods park threads.
const LOCK_SUPPORT: &str = "java/util/concurrent/locks/LockSupport";

/// Adds up the classes of a drill, space by space.
#[derive(Debug)]
pub struct Collect {
    spaces: Vec<Space>,
    tallies: Vec<Tally>,
    /// Whether a method belongs to each space, for the spaces of which none does.
    has_methods: Vec<bool>,
    sites: Option<Sites>,
    allocations: Option<Allocations>,
    activations: BTreeMap<String, Activations>,
    under_way: UnderWay,
    of_drill: OfDrill,
    heard: Option<Heard>,
    /// Whether the counts are of a part of the time, so that what does not count is not looked at again.
    is_part: bool,
}

/// The tallies of all spaces.
#[derive(Debug)]
pub struct Collected {
    /// Each space with its tally.
    pub spaces: Vec<(Space, Tally)>,
    /// Facts in addition to counts of blocks.
    pub has: Has,
    /// Doubts about the whole drill.
    pub of_drill: OfDrill,
    /// Places of the spaces that no method of the drill belongs to, in ascending order.
    empty: Vec<usize>,
}

impl Collected {
    /// Takes the spaces from `at` on out of it.
    #[must_use]
    pub fn split_off(&mut self, at: usize) -> Self {
        let spaces = self.spaces.split_off(at.min(self.spaces.len()));
        let empty = self.empty.split_off(self.empty.partition_point(|&index| index < at));
        let empty = empty.into_iter().map(|index| index - at).collect();
        Self { spaces, has: self.has, of_drill: self.of_drill.clone(), empty }
    }

    /// Whether the JVM's events lack what a metric needs, though some were heard.
    pub(crate) fn is_unheard(&self, need: Need) -> bool {
        let mut heard = self.spaces.iter().filter_map(|(_, tally)| tally.heard.as_ref());
        match need {
            Need::Contention => heard.any(|of| of.jvm.monitors.is_none()),
            Need::Heap => heard.any(|of| of.heap.is_none() && of.jvm.without_heap.is_none()),
            Need::Blocks
            | Need::Files
            | Need::Loads
            | Need::Arcs
            | Need::Sizes
            | Need::Lifetimes
            | Need::Collections
            | Need::Threads => false,
        }
    }

    /// Names of the spaces that no method of the drill belongs to.
    pub fn empty(&self) -> impl Iterator<Item = &str> {
        self.empty.iter().filter_map(|&at| self.spaces.get(at)).map(|(space, _)| &*space.name)
    }
}

impl Collect {
    /// For a drill with counts. `sites` is there where arcs were counted, and `allocations` where sizes were.
    #[must_use]
    pub fn new(
        document: &Document,
        spaces: Vec<Space>,
        sites: Option<Sites>,
        allocations: Option<Allocations>,
        activations: BTreeMap<String, Activations>,
    ) -> Self {
        let mut tallies = vec![Tally::default(); spaces.len()];
        for (name, why) in &document.left {
            let (class, member) = class_of(name);
            for (space, tally) in spaces.iter().zip(&mut tallies) {
                let has = match member.split_once('(') {
                    Some((method, parameters)) => space.has_method(class, method, &format!("({parameters}")),
                    None => true,
                };
                if space.has_class(class) && has {
                    tally.doubts.leave(&one_line(name), &one_line(why));
                }
            }
        }
        let of_drill = OfDrill::of(document);
        let under_way = UnderWay::of(sites.as_ref(), &activations);
        Self {
            has_methods: vec![false; spaces.len()],
            spaces,
            tallies,
            sites,
            allocations,
            activations,
            under_way,
            of_drill,
            heard: None,
            is_part: false,
        }
    }

    /// Adds the JVM's events.
    #[must_use]
    pub fn hearing(self, heard: Option<Heard>) -> Self {
        Self { heard, ..self }
    }

    /// For the counts of a part of the time of a drill, of which the `whole` is known. Classes and methods that did not count meanwhile need not
    /// be taken in.
    #[must_use]
    pub fn of_part(
        whole: &Collected,
        sites: Option<Sites>,
        allocations: Option<Allocations>,
        activations: BTreeMap<String, Activations>,
    ) -> Self {
        Self {
            has_methods: vec![false; whole.spaces.len()],
            spaces: whole.spaces.iter().map(|(space, _)| space.clone()).collect(),
            // Loaded code and doubts of the whole hold for each part.
            tallies: whole.spaces.iter().map(|(_, tally)| tally.without_counts()).collect(),
            sites,
            allocations,
            activations,
            // Methods that were under way have a doubt of their own.
            under_way: UnderWay::default(),
            of_drill: whole.of_drill.clone(),
            heard: None,
            is_part: true,
        }
    }

    /// Takes a class in.
    ///
    /// # Errors
    /// When a method's code cannot be read.
    pub fn add(&mut self, class: Class<'_>) -> Result<(), Fault> {
        let Class { counted: listed, file, methods } = class;
        let mut of_method: BTreeMap<(&[u8], &[u8]), Tally> = BTreeMap::new();
        for one in &methods {
            let name = method_name(&one.graph);
            let sites = self.sites.as_ref().map(|sites| sites.of(&name));
            let (none, nothing) = (BTreeMap::new(), BTreeMap::new());
            let sites = sites.map(|sites| sites.unwrap_or(&none));
            let made = self.allocations.as_ref().map(|all| all.of(&name).unwrap_or(&nothing));
            let under_way = self.under_way.in_method(&name);
            let is_shared = self.of_drill.twins.contains(&listed.name);
            let of_drill = &self.of_drill;
            let activations = &self.activations;
            let beside = Beside { sites, made, of_drill, is_shared, activations, under_way };
            let mut tally = counted(file, one, beside)
                .map_err(|why| archive_fault(format!("{}: {why}", one_line(&name))))?;
            if listed.name == LOCK_SUPPORT && one.method.name.starts_with(b"park") {
                tally.parks = [1, tally.entries];
            }
            tally.unreturned = self.activations.get(&name).map_or(0, |all| all.unreturned);
            of_method.insert((one.method.name, one.method.descriptor), tally);
        }
        for (at, space) in self.spaces.iter().enumerate().filter(|(_, space)| space.has_class(&listed.name)) {
            let mut of_class = Tally { classes: u64::from(!self.is_part), ..Tally::default() };
            let mut has_methods = false;
            let named = |method: &Method<'_>| [method.name, method.descriptor].map(mutf8::decode);
            let in_space = |method: &&Method<'_>| {
                let [name, descriptor] = named(method);
                space.has_method(&listed.name, &name, &descriptor)
            };
            if space.is_filtered() && !self.is_part {
                let skipped = file.methods.iter().map(named);
                let skipped = skipped.filter(|[name, of]| space.skips(&listed.name, name, of)).count();
                self.tallies[at].doubts.skipped += skipped as u64;
            }
            for method in file.methods.iter().filter(in_space) {
                has_methods = true;
                match of_method.get(&(method.name, method.descriptor)) {
                    Some(tally) if self.is_part => of_class.merge(&tally.without_code()),
                    Some(tally) => of_class.merge(tally),
                    None if self.is_part => {}
                    None => of_class.merge(&uncounted(file, method)),
                }
            }
            if has_methods || !(space.is_named() || space.is_filtered()) {
                of_class.of_classes.add(of_class.executed);
                self.tallies[at].merge(&of_class);
                self.has_methods[at] |= of_class.executed != Bounds::exact(0) || has_methods;
            }
        }
        Ok(())
    }

    /// The tallies of what was taken in.
    #[must_use]
    pub fn finish(self) -> Collected {
        let heard = self.heard.as_ref();
        let whole = |(space, tally): (Space, Tally)| {
            let heard = heard.map(|heard| heard.of(&space));
            (space, Tally { heard, ..tally })
        };
        let spaces = self.spaces.into_iter().zip(self.tallies).map(whole).collect();
        let empty = self.has_methods.iter().enumerate().filter(|(_, has)| !**has).map(|(at, _)| at).collect();
        Collected {
            has: Has {
                arcs: self.sites.is_some(),
                sizes: self.allocations.is_some(),
                events: self.heard.is_some(),
            },
            spaces,
            of_drill: self.of_drill,
            empty,
        }
    }
}

/// The class of a name, and what follows it: a method with its descriptor, or nothing.
fn class_of(name: &str) -> (&str, &str) {
    let end = name.find('(').unwrap_or(name.len());
    match name[..end].rfind('.').filter(|_| end < name.len()) {
        Some(dot) => (&name[..dot], &name[dot + 1..]),
        None => (name, ""),
    }
}
