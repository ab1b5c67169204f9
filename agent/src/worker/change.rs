//! Changes classes, as many in one call as the JVM takes, and reports the outcome.

use super::Worker;
use super::known::Changed;
use crate::hook::{self, Hook, Outcomes};
use crate::java;
use crate::jvm::{Event, Loaded};
use crate::kinds;
use crate::metaspace::Key;
use crate::shared::Reply;
use crate::sys;
use spl_model::{InstrumentId, Outcome, Refusal};
use spl_wire::Change;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// Number of failures after which classes of a name are left alone.
const FAILURES_TO_QUARANTINE: u32 = 3;

/// The JVM's error when its metaspace or its memory has no room for a change.
const NO_MEMORY: &str = "JVMTI_ERROR_OUT_OF_MEMORY";

impl Worker {
    /// Changes the bytes of these classes as the plan says, in one call if possible.
    pub(super) fn retransform(
        &mut self,
        env: &mut jni::Env<'_>,
        classes: &[Loaded<'_>],
        change: Change,
        ids: &BTreeSet<InstrumentId>,
    ) {
        let mut usable = Vec::new();
        for class in classes {
            if !self.jvm.is_modifiable(class.class) {
                self.refuse(class, Refusal::Unmodifiable);
            } else if change == Change::Removed {
                // After an error of our own nothing is certain.
                if self.shared.failure().is_some() || self.touched.contains(&self.named(class)) {
                    usable.push(class.clone());
                }
            } else if self.no_memory {
                self.refuse(class, Refusal::NoMemory(NO_MEMORY.to_owned()));
            } else if let Err(why) = finds_probe(env, class) {
                self.refuse(class, Refusal::Loader(why));
            } else if let Some(why) = self.quarantined(&class.name) {
                self.refuse(class, Refusal::Jvm(why));
            } else {
                usable.push(class.clone());
            }
        }
        if usable.is_empty() {
            return;
        }
        if change == Change::Added {
            self.install_processors(env, &usable, ids);
        }
        self.expect_cold(&usable);
        let at_ns = sys::now_ns();
        self.shared.changes.begin(at_ns);
        self.note_running(env, &usable);
        let changed = self.bisect(&usable, change);
        let took_ns = sys::now_ns().saturating_sub(at_ns);
        self.shared.changes.end(at_ns + took_ns);
        let touched = usable.iter().flat_map(|class| self.planned_ids(&class.name)).collect::<BTreeSet<_>>();
        touched.iter().for_each(|id| self.shared.warmth.changed(*id, at_ns));
        self.pay(env, &changed, ids);
        self.watch_probes(env, &changed, &usable);
        let ids = if change == Change::Added {
            touched.intersection(ids).copied().collect()
        } else {
            ids.iter().copied().collect()
        };
        self.tell(Reply::Retransformed { ids, change, took_ns, at_ns });
    }

    /// Prepares the size processors of these methods for calls in these classes.
    fn install_processors(
        &self,
        env: &mut jni::Env<'_>,
        classes: &[Loaded<'_>],
        ids: &BTreeSet<InstrumentId>,
    ) {
        for class in classes {
            let targets = self.plan.get(&class.name).into_iter().flat_map(BTreeMap::values);
            for target in targets.filter(|target| ids.contains(&target.id)) {
                let Some(name) = kinds::processor(&target.instrument) else { continue };
                let jar = self.shared.processor_jar.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let parameters = target.instrument.method.descriptor().parameters();
                let widths =
                    parameters.iter().map(|one| one.primitive_bytes().to_string()).collect::<String>();
                let processor = java::Processor { id: target.id, name, jar: &jar, widths: &widths };
                let installed = java::install_processor(env, class.class, &processor);
                let problem = installed.unwrap_or_else(|error| {
                    env.exception_clear();
                    Some(error.to_string())
                });
                if let Some(why) = problem {
                    let method = &target.instrument.method;
                    self.tell(Reply::Warning(format!(
                        "size processor {name} of {method} is not used: {why}; its calls have the size of their arguments in \
                         bytes"
                    )));
                }
            }
        }
    }

    /// Changes these classes in one call. If that fails, it changes each half in one call, down to the
    /// classes that cause the failure. Returns the changed classes.
    fn bisect(&mut self, classes: &[Loaded<'_>], change: Change) -> BTreeMap<Key, Changed> {
        match (self.batch(classes), classes) {
            (Ok(changed), _) => {
                classes.iter().for_each(|class| self.changed(class));
                changed
            }
            (Err(error), _) if change == Change::Added && error == NO_MEMORY => {
                // Further attempts with halves would use up the rest.
                self.no_memory = true;
                classes.iter().for_each(|class| self.refuse(class, Refusal::NoMemory(error.clone())));
                BTreeMap::new()
            }
            (Err(error), [class]) => {
                self.failed(class, change, error);
                BTreeMap::new()
            }
            (Err(_), _) => {
                let (some, others) = classes.split_at(classes.len() / 2);
                let mut changed = self.bisect(some, change);
                changed.extend(self.bisect(others, change));
                changed
            }
        }
    }

    fn changed(&mut self, class: &Loaded<'_>) {
        let named = self.named(class);
        if self.plan.contains_key(&class.name) {
            self.touched.insert(named);
        } else {
            self.touched.remove(&named);
        }
    }

    fn failed(&mut self, class: &Loaded<'_>, change: Change, error: String) {
        let (count, last) = self.failures.entry(class.name.clone()).or_default();
        *count += 1;
        last.clone_from(&error);
        if change == Change::Removed {
            self.tell(Reply::Warning(format!("{} could not be restored: {error}", class.name)));
            self.unrestored.insert(class.name.clone());
        }
        self.refuse(class, Refusal::Jvm(error));
    }

    /// The reason why a class of this name is left alone, if it is.
    fn quarantined(&self, name: &str) -> Option<String> {
        let (count, last) = self.failures.get(name)?;
        (*count >= FAILURES_TO_QUARANTINE)
            .then(|| format!("left alone after {count} failures, the last: {last}"))
    }

    pub(super) fn named(&self, class: &Loaded<'_>) -> Key {
        self.jvm.key_of(class)
    }

    fn batch(&self, classes: &[Loaded<'_>]) -> Result<BTreeMap<Key, Changed>, String> {
        let planned =
            |class: &Loaded<'_>| Some((class.name.clone(), hook::plan(self.plan.get(&class.name)?)));
        Hook::begin(classes.iter().filter_map(planned).collect());
        let result = self.hooked(classes);
        let done = Hook::end();
        result?;
        let unseen = |class: &Loaded<'_>| Changed { price: self.price_now(class), probed: None };
        let mut changed: BTreeMap<Key, Changed> =
            classes.iter().map(|class| (self.named(class), unseen(class))).collect();
        // The JVM calls the hook class by class in the order of the request.
        let mut hooked = classes.iter().filter(|class| self.plan.contains_key(&class.name));
        for one in done {
            let class = hooked.next().filter(|class| class.name == one.name);
            let loader = class.map_or_else(String::new, |class| self.jvm.loader_name(class.loader));
            if let Some(class) = class
                && let Some(changed) = changed.get_mut(&self.named(class))
            {
                changed.price.file_bytes = one.file_bytes;
                changed.probed = one.probed;
            }
            self.report(&one.name, &loader, one.outcomes);
        }
        Ok(changed)
    }

    /// The class-file hook slows each class load of the program, so it is on only now. HotSpot cannot switch
    /// it for one thread. The hook itself ignores classes that are loaded meanwhile.
    fn hooked(&self, classes: &[Loaded<'_>]) -> Result<(), String> {
        self.jvm.notify(true, Event::ClassFileLoadHook)?;
        let references = classes.iter().map(|class| class.class).collect::<Vec<_>>();
        let result = self.jvm.retransform(&references);
        self.jvm.notify(false, Event::ClassFileLoadHook)?;
        result
    }

    fn report(&self, name: &str, loader: &str, outcome: Outcomes) {
        let outcomes = outcome.unwrap_or_else(|refusal| {
            self.planned_ids(name).into_iter().map(|id| (id, Outcome::Refused(refusal.clone()))).collect()
        });
        for (id, outcome) in outcomes {
            self.tell(Reply::Outcome { id, class_loader: loader.to_owned(), outcome });
        }
    }

    fn refuse(&self, class: &Loaded<'_>, refusal: Refusal) {
        self.report(&class.name, &self.jvm.loader_name(class.loader), Err(refusal));
    }
}

fn finds_probe(env: &mut jni::Env<'_>, class: &Loaded<'_>) -> Result<(), String> {
    match java::finds_probe(env, class.loader) {
        Ok(true) => Ok(()),
        Ok(false) => Err("it does not ask its parent for it".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
