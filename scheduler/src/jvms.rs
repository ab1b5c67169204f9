//! Several JVMs that feed one measurement: the current one, which a step concerns, and the others.

use crate::standing::Status;
use crate::station::Station;
use crate::{JvmIx, MethodIx, Scheduler};

impl Scheduler {
    /// All JVMs, the current one first.
    pub(crate) fn stations(&self) -> impl Iterator<Item = &Station> {
        std::iter::once(&self.jvm).chain(&self.others)
    }

    /// Makes a JVM the current one.
    pub(crate) fn turn_to(&mut self, jvm: JvmIx) {
        if self.jvm.ix == jvm {
            return;
        }
        let index = self.others.iter().position(|station| station.ix == jvm).unwrap_or_else(|| {
            let mut roster = self.fresh.clone();
            for (method, _) in self.tallies.iter().filter(|(method, _)| self.tallies.is_finished(*method)) {
                roster.set_status(method, Status::Finished);
            }
            self.others.push(Station::new(jvm, roster, &self.settings));
            self.others.len() - 1
        });
        std::mem::swap(&mut self.jvm, &mut self.others[index]);
    }

    /// Runs `act` for each JVM, the current one first; it is current afterwards too.
    pub(crate) fn in_each_jvm(&mut self, mut act: impl FnMut(&mut Self)) {
        act(self);
        for index in 0..self.others.len() {
            std::mem::swap(&mut self.jvm, &mut self.others[index]);
            act(self);
            std::mem::swap(&mut self.jvm, &mut self.others[index]);
        }
    }

    /// Removes the current JVM, which is gone; the held calls of its windows are the last ones. The last JVM
    /// stays unchanged.
    pub(crate) fn left(&mut self) {
        if self.others.is_empty() {
            return;
        }
        self.close_all_windows();
        let gone = std::mem::replace(&mut self.jvm, self.others.remove(0));
        self.gone_windows.resize(gone.rotations.len(), 0);
        for (newest, rotation) in self.gone_windows.iter_mut().zip(&gone.rotations) {
            *newest = rotation.window().max(*newest);
        }
    }

    /// Whether another JVM may give samples of a method.
    pub(crate) fn goes_on_elsewhere(&self, method: MethodIx) -> bool {
        self.others.iter().any(|jvm| !jvm.roster.is_finished(method))
    }

    /// Ends the measurement of a method in the current JVM, while others go on with it.
    pub(crate) fn end_here(&mut self, method: MethodIx) {
        self.close_windows_of(method);
        self.set_status(method, Status::Finished);
        self.jvm.law.clamp(self.jvm.roster.unfinished());
        self.balance(None);
    }
}
