//! The account of metaspace: what changes of classes keep there as long as the JVM lives, and what they may keep.
//!
//! HotSpot links the `invokedynamic` instructions of a changed class anew when they run next, and keeps the hidden classes of
//! the old lambdas as long as the class's loader. So each change has a price, which is known before it: [`Price`]. What the
//! JVM itself says of its metaspace, [`Reading`], makes the account more exact, never smaller than the truth.

use std::collections::BTreeMap;

/// What the changes may keep when nobody says anything else: 16 MB.
pub const DEFAULT_LIMIT: u64 = 16 << 20;
/// The limit is at most this part of `MaxMetaspaceSize`, where that is set.
const PART_OF_MOST: u64 = 10;
/// Bytes that a lambda's hidden class takes, with what the JVM notes of its methods: 1,540 to 1,760 on JDK 17, 21 and 25.
const SITE_BYTES: u64 = 1_800;
/// Bytes that a change copies for each byte of the class file, at most, and keeps: nothing to a half on JDK 17, 21 and 25, and as
/// much again is for what holds old copies up for a while. JDK 11 takes 1.2 to 4.2 and frees them when it next unloads classes.
const COPIED: u64 = 1;
const COPIED_BY_11: u64 = 5;
/// A class whose lambdas take so much at each change keeps its probes behind closed gates: 20 lambdas.
const DEAR_BYTES: u64 = 20 * SITE_BYTES;

/// What a change of one class costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// `invokedynamic` instructions and constants that the program may link anew.
    pub sites: u64,
    /// Bytes of the class file.
    pub file_bytes: u64,
}

impl Price {
    /// Of a class whose file is not at hand, from the entries of its constant pool (JVMS 4.4), which take a third of a file and more.
    pub fn of_pool(mut entries: &[u8]) -> Self {
        const UTF8: u8 = 1;
        let (mut sites, pool_bytes) = (0, entries.len() as u64);
        while let [tag, rest @ ..] = entries {
            let length = match (*tag, rest) {
                (UTF8, [high, low, ..]) => 2 + usize::from(u16::from_be_bytes([*high, *low])),
                // Integers, floats, and what names two other entries.
                (3 | 4 | 9..=12 | 17 | 18, _) => 4,
                (5 | 6, _) => 8,
                (7 | 8 | 16 | 19 | 20, _) => 2,
                (15, _) => 3,
                _ => break,
            };
            sites += u64::from(matches!(tag, 17 | 18));
            entries = rest.get(length..).unwrap_or_default();
        }
        Self { sites, file_bytes: pool_bytes.saturating_mul(3) }
    }

    /// Bytes that come when the program runs the sites again.
    fn later(self) -> u64 {
        self.sites.saturating_mul(SITE_BYTES)
    }

    /// Whether changes of the class are to be few.
    pub fn is_dear(self) -> bool {
        self.later() >= DEAR_BYTES
    }
}

/// A class: its name and its loader's.
pub type Key = (String, String);

/// What the JVM says of its metaspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Bytes in use after the last garbage collection.
    pub used: u64,
    /// Classes that were unloaded since the JVM's start.
    pub unloaded: u64,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    price: Price,
    /// Whether it has probes, so that one change at least is to come.
    has_probes: bool,
}

/// What was spent. Lives as long as the JVM, whichever controllers come and go.
#[derive(Debug)]
pub struct Account {
    limit: u64,
    /// A tenth of `MaxMetaspaceSize`.
    most: u64,
    /// Whether the JVM frees the classes of old lambdas: before JDK 15, when they were not hidden ones but anonymous.
    frees: bool,
    /// What changes keep at most, with what the program may yet link anew: the prices of all, unless the JVM knew better.
    kept: u64,
    /// The prices of those that came after the last collection which told how much metaspace is in use.
    unseen: u64,
    /// How much metaspace has grown since the first change, by whosever doing.
    grown: u64,
    first: Option<u64>,
    last: Option<Reading>,
    /// Classes that were changed and live.
    classes: BTreeMap<Key, Class>,
}

impl Account {
    /// Nothing was spent; `jdk` is the JVM's feature release, such as 17.
    pub fn new(jdk: u32) -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            most: u64::MAX,
            frees: jdk < 15,
            kept: 0,
            unseen: 0,
            grown: 0,
            first: None,
            last: None,
            classes: BTreeMap::new(),
        }
    }

    /// `MaxMetaspaceSize` in bytes.
    pub fn set_most(&mut self, bytes: u64) {
        self.most = bytes / PART_OF_MOST;
    }

    /// The most that changes may keep from now on.
    pub fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    /// The most that changes may keep.
    pub fn limit(&self) -> u64 {
        self.limit.min(self.most)
    }

    /// What the changes so far keep at most, with what the program may yet link anew.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// What the program may link anew of classes that were changed.
    fn outstanding(&self) -> u64 {
        self.classes.values().map(|class| class.price.later()).sum()
    }

    /// What is set aside so that every class can have its original bytecode back.
    pub fn reserved(&self) -> u64 {
        self.classes.values().filter(|class| class.has_probes).map(|class| self.cost(class.price)).sum()
    }

    /// Bytes that a change takes, with what comes later.
    pub fn cost(&self, price: Price) -> u64 {
        let copied = if self.frees { COPIED_BY_11 } else { COPIED };
        price.later().saturating_add(price.file_bytes.saturating_mul(copied))
    }

    /// Whether there is room for probes in all of these classes, and for taking them out.
    pub fn allows(&self, changes: &[(Key, Price)]) -> bool {
        let price = |(key, price): &(Key, Price)| {
            let price = self.classes.get(key).map_or(*price, |known| known.price);
            let times = if self.classes.get(key).is_some_and(|class| class.has_probes) { 1 } else { 2 };
            self.cost(price).saturating_mul(times)
        };
        let wanted: u64 = changes.iter().map(price).fold(0, u64::saturating_add);
        self.kept().saturating_add(self.reserved()).saturating_add(wanted) <= self.limit()
    }

    /// Takes in what the JVM says, before a change and after it.
    pub fn read(&mut self, reading: Reading) {
        let first = *self.first.get_or_insert(reading.used);
        let Some(last) = self.last.replace(reading) else { return };
        if reading == last {
            return;
        }
        if self.frees {
            self.grown = reading.used.saturating_sub(first);
        } else if last.unloaded == reading.unloaded {
            self.grown = self.grown.saturating_add(reading.used.saturating_sub(last.used));
        } else {
            // What the program gave back may hide what we took.
            self.grown = self.grown.saturating_add(self.outstanding()).saturating_add(self.unseen);
        }
        // There was a collection since the last reading, which came after all changes that are charged.
        self.unseen = 0;
        self.kept = self.kept.min(self.grown.saturating_add(self.outstanding()));
    }

    /// These classes were changed.
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

    /// Forgets classes that are no more: what was kept for them went with them.
    pub fn retain(&mut self, lives: impl Fn(&Key) -> bool) {
        self.classes.retain(|key, _| lives(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KB: u64 = 1 << 10;
    /// As a class with a hundred lambdas.
    const LAMBDAS: Price = Price { sites: 100, file_bytes: 13 * KB };
    const PLAIN: Price = Price { sites: 0, file_bytes: 10 * KB };

    /// What a change costs on JDK 17.
    fn cost(price: Price) -> u64 {
        Account::new(17).cost(price)
    }

    fn key(name: &str) -> Key {
        (name.to_owned(), "boot".to_owned())
    }

    /// Puts probes in and takes them out as long as the account allows, with a collection after each change if it is said by how
    /// much metaspace then has grown; gives how often it was possible.
    fn cycles(account: &mut Account, price: Price, grows: Option<u64>, most: u64) -> u64 {
        let (mut used, changes) = (50 << 20, [(key("C"), price)]);
        for cycle in 0..most {
            account.read(Reading { used, unloaded: 0 });
            if !account.allows(&changes) {
                return cycle;
            }
            for has_probes in [true, false] {
                account.read(Reading { used, unloaded: 0 });
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
        assert_eq!(cycles(&mut account, LAMBDAS, Some(166 * KB), 5000), 48);
        // A program that loads classes meanwhile takes nothing from us beyond the prices.
        let mut account = Account::new(17);
        assert_eq!(cycles(&mut account, LAMBDAS, Some(9 << 20), 5000), DEFAULT_LIMIT / (2 * cost(LAMBDAS)));
    }

    #[test]
    fn unloaded_classes_hide_nothing() {
        let changes = [(key("C"), LAMBDAS)];
        let kept = |jdk| {
            let mut account = Account::new(jdk);
            for n in 0..10 {
                account.read(Reading { used: 9 << 20, unloaded: n });
                account.changed(&changes, |_| true);
            }
            account.read(Reading { used: 9 << 20, unloaded: 10 });
            account.kept()
        };
        assert_eq!(kept(17), 10 * cost(LAMBDAS));
        assert_eq!(kept(11), LAMBDAS.later(), "it unloads the lambdas themselves");
    }

    #[test]
    fn restoring_is_paid_for_in_advance() {
        let mut account = Account::new(17);
        account.set_limit(2 * cost(PLAIN) + cost(PLAIN) / 2);
        assert!(account.allows(&[(key("A"), PLAIN)]));
        assert!(!account.allows(&[(key("A"), PLAIN), (key("B"), PLAIN)]));
        account.changed(&[(key("A"), PLAIN)], |_| true);
        assert_eq!((account.kept(), account.reserved()), (cost(PLAIN), cost(PLAIN)));
        assert!(!account.allows(&[(key("A"), PLAIN)]), "what is set aside is for the way out");
        account.changed(&[(key("A"), PLAIN)], |_| false);
        assert_eq!(account.reserved(), 0);
        assert!(account.kept() <= account.limit());
    }

    #[test]
    fn a_constant_pool_tells_how_many_sites_there_may_be() {
        let pool =
            [&[1, 0, 2, 18, 18][..], &[18, 0, 1, 0, 2], &[5, 0, 0, 0, 0, 0, 0, 0, 18], &[17, 0, 1, 0, 2]];
        assert_eq!(Price::of_pool(&pool.concat()), Price { sites: 2, file_bytes: 72 });
        assert_eq!(Price::of_pool(&[1, 255, 255, 0]), Price { sites: 0, file_bytes: 12 }, "cut off");
        assert_eq!(Price::of_pool(&[99; 3]).sites, 0);
    }

    #[test]
    fn the_limit_is_at_most_a_tenth_of_metaspace() {
        let mut account = Account::new(21);
        account.set_most(24 << 20);
        assert_eq!(account.limit(), (24 << 20) / 10);
        account.set_limit(1 << 20);
        assert_eq!(account.limit(), 1 << 20);
        assert_eq!(Account::new(21).limit(), DEFAULT_LIMIT);
        assert_eq!(Account::new(11).cost(PLAIN), COPIED_BY_11 * cost(PLAIN), "until it unloads classes");
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
