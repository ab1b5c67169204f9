//! Metaspace cost of class changes: checked before a change, recorded after it.

use super::known::Changed;
use super::{MOST_TOUCHED, Worker};
use crate::counters::{Counters, most_metaspace};
use crate::jvm::Loaded;
use crate::metaspace::{Key, Lack, Most, Price};
use crate::shared::Reply;
use crate::sys;
use spl_model::{InstrumentId, Outcome, Refusal};
use std::collections::{BTreeMap, BTreeSet};

impl Worker {
    /// Reads the limits of metaspace and finds the JVM's counters.
    pub(super) fn open_account(&mut self, env: &mut jni::Env<'_>) {
        self.counters = Counters::find(env);
        // The JVM's counters hold only the first thousand characters of its options, and the command line
        // none from files.
        let shown = self.counters.as_ref().map(|counters| most_metaspace(counters.options()));
        let given = most_metaspace(&sys::java_options());
        let least = |of: fn(&Most) -> Option<u64>| shown.iter().chain([&given]).filter_map(of).min();
        let most =
            Most { metaspace: least(|most| most.metaspace), class_space: least(|most| most.class_space) };
        self.account.set_most(most);
    }

    /// Records the use of metaspace.
    fn read_metaspace(&mut self, env: &mut jni::Env<'_>) {
        if let Some(reading) = self.counters.as_ref().and_then(|counters| counters.reading(env)) {
            self.account.read(reading);
        }
    }

    /// The classes that may have probes, and the names of the others with the reason. All classes of a name
    /// or none are chosen, because a method is measured in each of its classes.
    pub(super) fn afford<'local>(
        &mut self,
        env: &mut jni::Env<'_>,
        classes: Vec<Loaded<'local>>,
    ) -> (Vec<Loaded<'local>>, BTreeMap<String, Refusal>) {
        self.read_metaspace(env);
        let mut by_name: BTreeMap<String, Vec<Loaded<'local>>> = BTreeMap::new();
        for class in classes {
            by_name.entry(class.name.clone()).or_default().push(class);
        }
        let (mut room, mut affordable, mut poor) = (self.account.room(), Vec::new(), BTreeMap::new());
        for (name, classes) in by_name {
            let priced = classes.iter().map(|class| (self.named(class), self.price(class)));
            match self.account.promise(&mut room, &priced.collect::<Vec<_>>()) {
                Ok(()) => affordable.extend(classes),
                Err(lack) => {
                    poor.insert(name, self.too_dear(lack));
                }
            }
        }
        (affordable, poor)
    }

    /// Price of a change of a class: as recorded at an earlier change, else computed from its current state.
    fn price(&self, class: &Loaded<'_>) -> Price {
        self.account.price(&self.named(class)).unwrap_or_else(|| self.found_price(class))
    }

    /// Price of the next change of a class. The file size is known, but another agent may have added sites.
    pub(super) fn price_now(&self, class: &Loaded<'_>) -> Price {
        let found = self.found_price(class);
        let file_bytes =
            self.account.price(&self.named(class)).map_or(found.file_bytes, |known| known.file_bytes);
        Price { file_bytes, ..found }
    }

    /// Price of a change of a class, from its constant pool and its code.
    fn found_price(&self, class: &Loaded<'_>) -> Price {
        let calls = || {
            let methods = self.jvm.methods(class.class).into_iter();
            // SAFETY: `class` has just given these numbers, and keeps itself loaded.
            let code = methods.filter_map(|(method, ..)| unsafe { self.jvm.bytecodes(method) });
            code.flat_map(|code| spl_bytecode::call_sites_of(&code)).collect()
        };
        let pool = self.jvm.constant_pool(class.class);
        pool.map_or_else(Price::default, |pool| Price::of_pool(&pool, calls))
    }

    /// Charges changed classes and reports the cost.
    pub(super) fn pay(
        &mut self,
        env: &mut jni::Env<'_>,
        changed: &BTreeMap<Key, Changed>,
        ids: &BTreeSet<InstrumentId>,
    ) {
        self.read_metaspace(env);
        let plan = &self.plan;
        let prices: Vec<(Key, Price)> = changed.iter().map(|(key, one)| (key.clone(), one.price)).collect();
        self.account.changed(&prices, |(name, _)| plan.contains_key(name));
        for ((name, _), price) in prices.iter().filter(|(_, price)| price.is_dear()) {
            let ids: Vec<InstrumentId> = self.planned_ids(name).intersection(ids).copied().collect();
            if !ids.is_empty() {
                self.tell(Reply::Dear { ids, bytes: self.account.cost(*price) });
            }
        }
        let account = &self.account;
        self.tell(Reply::Metaspace {
            kept: account.kept(),
            reserved: account.reserved(),
            limit: account.limit(),
        });
    }

    fn too_dear(&self, lack: Lack) -> Refusal {
        match lack {
            Lack::Limit => {
                let kept = self.account.kept().saturating_add(self.account.reserved());
                Refusal::Metaspace { kept_kb: kept >> 10, limit_kb: self.account.limit() >> 10 }
            }
            Lack::Full { left, most } => Refusal::MetaspaceFull { left_kb: left >> 10, most_kb: most >> 10 },
        }
    }

    /// Takes the methods of these classes out of the plan and reports the reason.
    pub(super) fn turn_down(&mut self, names: &BTreeMap<String, Refusal>, ids: &BTreeSet<InstrumentId>) {
        for (name, why) in names {
            for id in self.planned_ids(name).intersection(ids) {
                let outcome = Outcome::Refused(why.clone());
                self.tell(Reply::Outcome { id: *id, class_loader: String::new(), outcome });
                if let Some(targets) = self.plan.get_mut(name) {
                    targets.remove(id);
                }
            }
        }
        self.plan.retain(|_, targets| !targets.is_empty());
        self.publish_plan();
    }

    /// Forgets unloaded classes, because a program may go on creating classes.
    pub(super) fn forget_unloaded(&mut self, env: &mut jni::Env<'_>) {
        let names = self.touched.iter().map(|(name, _)| name.clone());
        let names = names.chain(self.account.names().map(str::to_owned)).collect();
        let loaded = self.find(env, &names);
        let living: BTreeSet<_> = loaded.iter().map(|class| self.named(class)).collect();
        self.touched.retain(|class| living.contains(class));
        self.watched.retain(|class, _| living.contains(class));
        self.account.retain(|class| living.contains(class));
        self.shared.warmth.forget();
        self.expect_cold(&loaded);
        self.prune_at = MOST_TOUCHED.max(2 * self.known_classes());
    }

    /// Number of classes that have or had probes.
    pub(super) fn known_classes(&self) -> usize {
        self.touched.len().max(self.account.names().count())
    }
}
