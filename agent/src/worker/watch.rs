//! Another agent's change of a class silently removes our probes (decision 6). If a gate is open and no call
//! is recorded, the bytecode of one method is checked. Missing probes are put in again, a few times.

use super::Worker;
use super::known::{Changed, Watched};
use crate::hook::Probed;
use crate::java;
use crate::jvm::Loaded;
use crate::metaspace::Key;
use crate::shared::Reply;
use crate::sys;
use spl_model::{InstrumentId, Refusal};
use spl_wire::Change;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

/// Number of times that probes are put in again. With an agent that changes a class repeatedly, the program
/// would pay for both.
const MOST_PUT_BACK: u32 = 3;

impl Worker {
    /// Remembers the bytecode of these classes with their probes; classes without probes are not watched any
    /// more.
    pub(super) fn watch_probes(
        &mut self,
        env: &mut jni::Env<'_>,
        changed: &BTreeMap<Key, Changed>,
        loaded: &[Loaded<'_>],
    ) {
        for class in loaded {
            let key = self.named(class);
            let Some(changed) = changed.get(&key) else { continue };
            match changed.probed.and_then(|probed| self.watched(env, class, probed)) {
                Some(watched) => self.watched.insert(key, watched),
                None => self.watched.remove(&key),
            };
        }
    }

    fn watched(&self, env: &mut jni::Env<'_>, class: &Loaded<'_>, probed: Probed) -> Option<Watched> {
        let target = &self.plan.get(&class.name)?.get(&probed.id)?.instrument.method;
        let is_it = |name: &str, descriptor: &str| {
            target.name() == name && target.descriptor().as_str() == descriptor
        };
        let methods = self.jvm.methods(class.class);
        let method = methods.iter().find(|(_, name, descriptor)| is_it(name, descriptor))?.0;
        // SAFETY: `class` has just given this number, and keeps itself loaded.
        let code = unsafe { self.jvm.bytecodes(method) }?;
        // The other agent may have acted right after our change.
        let is_ours = spl_bytecode::static_calls(&code) >= probed.static_calls;
        let class = java::keep(env, class.class).ok()?;
        Some(Watched { class, method, code: is_ours.then(|| hash(&code)), seen_ns: sys::now_ns() })
    }

    /// Checks whether these methods still have their probes, and puts in missing ones again.
    pub(super) fn look(&mut self, env: &mut jni::Env<'_>, ids: &BTreeSet<InstrumentId>) {
        let asked = |targets: &BTreeMap<InstrumentId, _>| targets.keys().any(|id| ids.contains(id));
        let names: BTreeSet<String> =
            self.plan.iter().filter(|(_, targets)| asked(targets)).map(|(name, _)| name.clone()).collect();
        let (mut gone, mut unloaded) = (Vec::new(), Vec::new());
        for (key, watched) in self.watched.iter_mut().filter(|(key, _)| names.contains(&key.0)) {
            // The reference lives as long as the command's frame.
            let Ok(Some(_class)) = watched.class.upgrade_local(env) else {
                unloaded.push(key.clone());
                continue;
            };
            // SAFETY: the number is one of the class's own (`watched`), and the reference above keeps the
            // class loaded.
            match unsafe { self.jvm.bytecodes(watched.method) } {
                Some(code) if Some(hash(&code)) != watched.code => gone.push((key.clone(), watched.seen_ns)),
                _ => watched.seen_ns = sys::now_ns(),
            }
        }
        for key in &unloaded {
            self.watched.remove(key);
        }
        let mut names = BTreeSet::new();
        for (key, seen_ns) in &gone {
            // The class stays in `touched`: restoring a class that has no probes does no harm.
            self.watched.remove(key);
            // Calls in this interval may have lost their probes, or their compiled code.
            self.shared.changes.begin(*seen_ns);
            self.shared.changes.end(sys::now_ns());
            names.insert(key.0.clone());
        }
        for name in names {
            let first_ns = gone.iter().filter(|(key, _)| key.0 == name).map(|(_, seen_ns)| *seen_ns).min();
            self.put_back(env, name, sys::now_ns().saturating_sub(first_ns.unwrap_or(0)));
        }
    }

    /// Handles the removal of probes from a class of this name by another agent, at most `gap_ns` nanoseconds
    /// ago. Puts them in again, or gives up the methods.
    fn put_back(&mut self, env: &mut jni::Env<'_>, name: String, gap_ns: u64) {
        let ids = self.planned_ids(&name);
        let times = self.removed.entry(name.clone()).or_default();
        let names = BTreeSet::from([name]);
        let refusal = if *times >= MOST_PUT_BACK {
            Refusal::Removed(*times)
        } else {
            *times += 1;
            let times = *times;
            // Classes of other loaders may still have their probes.
            let mut found = self.find(env, &names);
            found.retain(|class| !self.watched.contains_key(&self.named(class)));
            let (found, poor) = self.afford(env, found);
            let Some(why) = poor.into_values().next() else {
                self.retransform(env, &found, Change::Added, &ids);
                return self.tell(Reply::Removed { ids: ids.into_iter().collect(), times, gap_ns });
            };
            why
        };
        self.turn_down(&names.iter().map(|name| (name.clone(), refusal.clone())).collect(), &ids);
        let found = self.find(env, &names);
        self.retransform(env, &found, Change::Removed, &ids);
    }
}

fn hash(code: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(code);
    hasher.finish()
}
