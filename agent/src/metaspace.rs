//! The account of metaspace: the bytes that changes of classes keep as long as the JVM lives, and their
//! limit.
//!
//! HotSpot links the `invokedynamic` instructions of a changed class again when they run next, and keeps the
//! hidden classes of the old lambdas as long as the class's loader. So each change has a price that is known
//! before it: [`Price`]. The JVM's own figures, [`Reading`], make the account more exact, but never smaller
//! than the truth. With nearly full metaspace no class is changed, even if the account has room:
//! [`Lack::Full`].

mod price;

pub use price::Price;
use std::collections::BTreeMap;

/// Default limit of the bytes that changes may keep: 16 MB.
pub const DEFAULT_LIMIT: u64 = 16 << 20;
/// The limit is at most this part of `MaxMetaspaceSize` and of `CompressedClassSpaceSize`, if they are set.
const PART_OF_MOST: u64 = 10;
/// This part of `MaxMetaspaceSize` is reserved for the program: twice the share of changes. A program this
/// full still loads classes, and the JVM's figures are estimates between two collections.
const PART_LEFT: u64 = 5;
/// Ratio of metaspace held to the JVM's count of loaded bytes of classes. It is 3.9 with hundreds of loaders
/// of a library's classes, 4.7 with hundreds of loaders of one class each, 1.5 to 2.9 with lambdas. With
/// lambdas on JDK 11 it is ten.
const LOADED_TIMES: u64 = 5;

/// Key of a class: its name and its loader's name.
pub type Key = (String, String);

/// The JVM's figures for its metaspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Bytes in use after the last garbage collection.
    pub used: u64,
    /// Bytes that the JVM held for metaspace after the last garbage collection: `MaxMetaspaceSize` limits
    /// these.
    pub held: u64,
    /// Bytes of classes loaded now, as the JVM counts them: a part of their metaspace.
    pub loaded: u64,
    /// Classes that were unloaded since the JVM's start.
    pub unloaded: u64,
}

/// The largest sizes that the JVM's options set, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// `MaxMetaspaceSize`.
    pub metaspace: Option<u64>,
    /// `CompressedClassSpaceSize`, a part of metaspace.
    pub class_space: Option<u64>,
}

/// The reason why classes are not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The changes would keep more than the limit.
    Limit,
    /// The program would have too little of `MaxMetaspaceSize` left.
    Full {
        /// Bytes that are left now.
        left: u64,
        /// `MaxMetaspaceSize` in bytes.
        most: u64,
    },
}

/// Room for changes that are about to be made.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Bytes up to the limit of what changes may keep.
    free: u64,
    full: Option<Full>,
}

/// The JVM's metaspace under `MaxMetaspaceSize`.
#[derive(Clone, Copy, Debug)]
struct Full {
    /// Bytes that are left without the promised changes.
    left: u64,
    /// `MaxMetaspaceSize` in bytes.
    most: u64,
    /// Bytes that are left with them.
    unpromised: u64,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    price: Price,
    /// Whether it has probes, so that at least one more change will follow.
    has_probes: bool,
}

/// Metaspace spent so far. The account lives as long as the JVM, across controllers.
#[derive(Debug)]
pub struct Account {
    limit: u64,
    most: Most,
    /// Whether the JVM frees the classes of old lambdas, hot ones late. Before JDK 15 it does, because they
    /// were anonymous and not hidden classes.
    frees: bool,
    /// Upper bound of the bytes that changes keep, including later links by the program. It is the sum of all
    /// prices, unless the JVM's figures are lower.
    kept: u64,
    /// Prices of the changes after the last collection that updated the JVM's figures.
    unseen: u64,
    /// Growth of metaspace in bytes since the first change, including the program's own growth.
    grown: u64,
    first: Option<u64>,
    last: Option<Reading>,
    /// Loaded bytes before the last collection, as far as known.
    loaded_before: u64,
    /// Changed classes that are still loaded.
    classes: BTreeMap<Key, Class>,
}

impl Account {
    /// An account without changes; `jdk` is the JVM's feature release, such as 17.
    pub fn new(jdk: u32) -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            most: Most::default(),
            frees: jdk < 15,
            kept: 0,
            unseen: 0,
            grown: 0,
            first: None,
            last: None,
            loaded_before: 0,
            classes: BTreeMap::new(),
        }
    }

    /// Sets the sizes from the JVM's options.
    pub fn set_most(&mut self, most: Most) {
        self.most = most;
    }

    /// Sets the limit of the bytes that changes may keep.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    /// Most bytes that changes may keep.
    pub fn limit(&self) -> u64 {
        let parts =
            self.most.metaspace.into_iter().chain(self.most.class_space).map(|most| most / PART_OF_MOST);
        parts.fold(self.limit, u64::min)
    }

    /// Upper bound of the bytes kept by the changes so far, including later links by the program.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Bytes that the program may still take by linking changed classes again.
    fn outstanding(&self) -> u64 {
        self.classes.values().map(|class| class.price.later(self.frees)).sum()
    }

    /// Bytes set aside to restore the original bytecode of every class.
    pub fn reserved(&self) -> u64 {
        self.classes.values().filter(|class| class.has_probes).map(|class| self.cost(class.price)).sum()
    }

    /// Bytes that a change takes, including later links.
    pub fn cost(&self, price: Price) -> u64 {
        price.cost(self.frees)
    }

    /// The room that is left now for changes.
    pub fn room(&self) -> Room {
        let free = self.limit().saturating_sub(self.kept().saturating_add(self.reserved()));
        let (Some(most), Some(reading)) = (self.most.metaspace, self.last) else {
            return Room { free, full: None };
        };
        // The last collection may be long ago. Classes came since then, and changed classes may still have to
        // be linked.
        let came = reading.loaded.saturating_sub(self.loaded_before).saturating_mul(LOADED_TIMES);
        let all = reading.loaded.saturating_mul(LOADED_TIMES);
        let now = reading.held.max(all.min(reading.held.saturating_add(came)));
        let taken = now.saturating_add(self.unseen).saturating_add(self.reserved());
        let left = most.saturating_sub(taken);
        Room { free, full: Some(Full { left, most, unpromised: left }) }
    }

    /// Promises room to put probes into all of these classes and to take them out again. The time depends on
    /// these classes alone, so that thousands can be asked for one after the other.
    ///
    /// # Errors
    /// The limit that would be exceeded; then nothing is promised.
    pub fn promise(&self, room: &mut Room, changes: &[(Key, Price)]) -> Result<(), Lack> {
        let price = |(key, price): &(Key, Price)| {
            let price = self.classes.get(key).map_or(*price, |known| known.price);
            let times = if self.classes.get(key).is_some_and(|class| class.has_probes) { 1 } else { 2 };
            self.cost(price).saturating_mul(times)
        };
        let wanted: u64 = changes.iter().map(price).fold(0, u64::saturating_add);
        let Some(free) = room.free.checked_sub(wanted) else { return Err(Lack::Limit) };
        if let Some(full) = &mut room.full {
            let unpromised = full.unpromised.saturating_sub(wanted);
            if unpromised < full.most / PART_LEFT {
                return Err(Lack::Full { left: full.left, most: full.most });
            }
            full.unpromised = unpromised;
        }
        room.free = free;
        Ok(())
    }

    /// Records the JVM's figures, before a change and after it.
    pub fn read(&mut self, reading: Reading) {
        let first = *self.first.get_or_insert(reading.used);
        let Some(last) = self.last.replace(reading) else { return };
        if (reading.used, reading.unloaded) == (last.used, last.unloaded) {
            return;
        }
        self.loaded_before = last.loaded;
        if self.frees {
            self.grown = reading.used.saturating_sub(first);
        } else if last.unloaded == reading.unloaded {
            self.grown = self.grown.saturating_add(reading.used.saturating_sub(last.used));
        } else {
            // Memory freed by the program may hide memory taken by changes.
            self.grown = self.grown.saturating_add(self.outstanding()).saturating_add(self.unseen);
        }
        // A collection ran since the last reading, after all changes charged so far.
        self.unseen = 0;
        self.kept = self.kept.min(self.grown.saturating_add(self.outstanding()));
    }

    /// Charges the change of these classes.
    pub fn changed(&mut self, changes: &[(Key, Price)], has_probes: impl Fn(&Key) -> bool) {
        for (key, price) in changes {
            let cost = self.cost(*price);
            self.kept = self.kept.saturating_add(cost);
            self.unseen = self.unseen.saturating_add(cost);
            self.classes.insert(key.clone(), Class { price: *price, has_probes: has_probes(key) });
        }
    }

    /// The price of a class that was changed before.
    pub fn price(&self, key: &Key) -> Option<Price> {
        self.classes.get(key).map(|class| class.price)
    }

    /// Names of the classes that were changed, one for each loader.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(|(name, _)| name.as_str())
    }

    /// Forgets classes that were unloaded; their metaspace was freed with them.
    pub fn retain(&mut self, lives: impl Fn(&Key) -> bool) {
        self.classes.retain(|key, _| lives(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KB: u64 = 1 << 10;
    /// Price of a class with about a hundred lambdas.
    const LAMBDAS: Price = Price { link_bytes: 490_000, file_bytes: 13 * KB };
    const PLAIN: Price = Price { link_bytes: 0, file_bytes: 10 * KB };

    /// Bytes that a change costs on JDK 17.
    fn cost(price: Price) -> u64 {
        Account::new(17).cost(price)
    }

    impl Account {
        /// Whether there is room for these changes alone.
        fn allows(&self, changes: &[(Key, Price)]) -> Result<(), Lack> {
            self.promise(&mut self.room(), changes)
        }
    }

    #[test]
    fn ten_thousand_changes_are_promised_one_by_one_as_all_together() {
        let mut account = Account::new(17);
        account.set_limit(u64::MAX);
        let before = (0..10_000).map(|n| (key(&format!("A{n}")), PLAIN)).collect::<Vec<_>>();
        account.changed(&before, |_| true);
        let room_for = 7000;
        account.set_limit(account.kept() + account.reserved() + room_for * 2 * cost(PLAIN));
        let wanted = (0..10_000).map(|n| (key(&format!("B{n}")), PLAIN)).collect::<Vec<_>>();
        // In the square of the number this takes minutes.
        let begun = std::time::Instant::now();
        let mut room = account.room();
        let promised = wanted.iter().map(|one| account.promise(&mut room, std::slice::from_ref(one)));
        let promised = promised.filter(Result::is_ok).count();
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
        assert_eq!(promised as u64, room_for);
        assert_eq!(account.allows(&wanted[..promised]), Ok(()));
        assert_eq!(account.allows(&wanted[..=promised]), Err(Lack::Limit));
    }

    fn key(name: &str) -> Key {
        (name.to_owned(), "boot".to_owned())
    }

    /// Puts probes in and takes them out as long as the account allows, at most `most` times. `grows` is the
    /// growth of metaspace seen by a collection after each change, if there is one. Returns the number of
    /// cycles.
    fn cycles(account: &mut Account, price: Price, grows: Option<u64>, most: u64) -> u64 {
        let (mut used, changes) = (50 << 20, [(key("C"), price)]);
        for cycle in 0..most {
            account.read(Reading { used, ..Reading::default() });
            if account.allows(&changes).is_err() {
                return cycle;
            }
            for has_probes in [true, false] {
                account.read(Reading { used, ..Reading::default() });
                account.changed(&changes, |_| has_probes);
                used += grows.unwrap_or(0);
            }
            assert!(account.kept() <= account.limit());
        }
        most
    }

    #[test]
    fn without_a_collection_every_change_costs_its_price() {
        let mut account = Account::new(17);
        let possible = cycles(&mut account, LAMBDAS, None, 1000);
        let cycle = 2 * cost(LAMBDAS);
        assert_eq!(possible, DEFAULT_LIMIT / cycle);
        assert_eq!(account.kept(), possible * cycle);
    }

    #[test]
    fn what_metaspace_has_grown_corrects_the_prices() {
        let mut account = Account::new(17);
        assert_eq!(cycles(&mut account, LAMBDAS, Some(1), 5000), 5000, "the program runs no lambda");
        assert!(account.kept() < 2 * cost(LAMBDAS) + 10_000, "but may yet run each once");
        let mut account = Account::new(17);
        assert_eq!(cycles(&mut account, LAMBDAS, Some(350 * KB), 5000), 22);
        // Classes that the program loads meanwhile cost the account nothing beyond the prices.
        let mut account = Account::new(17);
        assert_eq!(cycles(&mut account, LAMBDAS, Some(9 << 20), 5000), DEFAULT_LIMIT / (2 * cost(LAMBDAS)));
    }

    #[test]
    fn unloaded_classes_hide_nothing() {
        let changes = [(key("C"), LAMBDAS)];
        let kept = |jdk| {
            let mut account = Account::new(jdk);
            for n in 0..10 {
                account.read(Reading { used: 9 << 20, unloaded: n, ..Reading::default() });
                account.changed(&changes, |_| true);
            }
            account.read(Reading { used: 9 << 20, unloaded: 10, ..Reading::default() });
            account.kept()
        };
        assert_eq!(kept(17), 10 * cost(LAMBDAS));
        assert_eq!(kept(11), LAMBDAS.later(true), "it unloads the lambdas themselves");
    }

    #[test]
    fn restoring_is_paid_for_in_advance() {
        let mut account = Account::new(17);
        account.set_limit(2 * cost(PLAIN) + cost(PLAIN) / 2);
        assert_eq!(account.allows(&[(key("A"), PLAIN)]), Ok(()));
        assert_eq!(account.allows(&[(key("A"), PLAIN), (key("B"), PLAIN)]), Err(Lack::Limit));
        account.changed(&[(key("A"), PLAIN)], |_| true);
        assert_eq!((account.kept(), account.reserved()), (cost(PLAIN), cost(PLAIN)));
        assert_eq!(
            account.allows(&[(key("A"), PLAIN)]),
            Err(Lack::Limit),
            "what is set aside is for the way out"
        );
        account.changed(&[(key("A"), PLAIN)], |_| false);
        assert_eq!(account.reserved(), 0);
        assert!(account.kept() <= account.limit());
    }

    #[test]
    fn a_jvm_that_is_nearly_full_is_left_alone() {
        let most = 160 << 20;
        let allows = |held: u64, loaded: u64| {
            let mut account = Account::new(17);
            account.set_most(Most { metaspace: Some(most), class_space: None });
            account.read(Reading { used: held, held, loaded, unloaded: 0 });
            account.allows(&[(key("C"), LAMBDAS)])
        };
        let room = most - most / PART_LEFT - 2 * cost(LAMBDAS);
        assert_eq!(allows(room, 0), Ok(()));
        assert_eq!(allows(room + 1, 0), Err(Lack::Full { left: most - room - 1, most }));
        // Classes loaded since the last collection count as well.
        assert!(allows(1 << 20, room / LOADED_TIMES + 1).is_err());
        // A collection shows which of these classes remain, and that they take less.
        let mut account = Account::new(17);
        account.set_most(Most { metaspace: Some(most), class_space: None });
        account.read(Reading { used: 1, held: 1, loaded: most / 6, unloaded: 0 });
        assert!(account.allows(&[(key("C"), LAMBDAS)]).is_err());
        account.read(Reading { used: most / 3, held: most / 2, loaded: most / 6, unloaded: 0 });
        assert_eq!(account.allows(&[(key("C"), LAMBDAS)]), Ok(()));
        // Changes since then, and the cost of restoring, count as well.
        let mut account = Account::new(17);
        account.set_most(Most { metaspace: Some(most), class_space: None });
        account.read(Reading { used: room, held: room, ..Reading::default() });
        account.changed(&[(key("C"), LAMBDAS)], |_| true);
        assert!(matches!(account.allows(&[(key("D"), PLAIN)]), Err(Lack::Full { .. })));
    }

    #[test]
    fn the_limit_is_at_most_a_tenth_of_metaspace() {
        let mut account = Account::new(21);
        account.set_most(Most { metaspace: Some(24 << 20), class_space: Some(1 << 30) });
        assert_eq!(account.limit(), (24 << 20) / 10);
        account.set_most(Most { metaspace: Some(1 << 30), class_space: Some(32 << 20) });
        assert_eq!(account.limit(), (32 << 20) / 10, "classes' own part of metaspace is as bounded");
        account.set_limit(1 << 20);
        assert_eq!(account.limit(), 1 << 20);
        assert_eq!(Account::new(21).limit(), DEFAULT_LIMIT);
        assert_eq!(Account::new(11).cost(PLAIN), 5 * cost(PLAIN), "until it unloads classes");
    }

    #[test]
    fn classes_that_are_gone_reserve_nothing() {
        let mut account = Account::new(17);
        account.changed(&[(key("A"), LAMBDAS), (key("B"), PLAIN)], |_| true);
        account.retain(|(name, _)| name == "B");
        assert_eq!(account.reserved(), cost(PLAIN));
        assert_eq!((LAMBDAS.is_dear(), PLAIN.is_dear()), (true, false));
    }
}
