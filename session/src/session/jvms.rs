//! The JVMs of a session: their presence, the start of their measurement, and messages to all of them.

use super::Session;
use crate::config::InitialSleep;
use crate::cost::Cost;
use crate::peer::{Peer, PeerId};
use spl_scheduler::{Event, JvmIx};
use spl_wire::ToAgent;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

impl Session<'_> {
    /// Begins the own warm-up of a JVM that has just connected. One that was measured before is warm.
    pub(super) fn warms_up(&mut self, id: PeerId) {
        let (sleep, is_warm) = (self.config.initial_sleep, self.measured_before.is_some());
        let sleep = if is_warm { InitialSleep::Fixed(Duration::ZERO) } else { sleep };
        let Some(peer) = self.peers.get_mut(&id) else { return };
        // An agent with a limit of its own would spend it on calls that do not count.
        let is_prepared = sleep == InitialSleep::Auto && self.config.looks() && !peer.has_limit;
        peer.warms_up(sleep, is_prepared, Instant::now());
        if is_prepared {
            let jvm = peer.jvm;
            self.event_in(jvm, Event::Prepare);
            self.peers.get_mut(&id).into_iter().for_each(Peer::change_classes);
        }
    }

    /// Starts the measurement of a connected JVM if it is due.
    pub(super) fn start(&mut self, id: PeerId, now: Instant) {
        // A resumed run may be decided already: then it has ended, and its file says so.
        let is_over = self.detach_by.is_some();
        let Some(peer) = self.peers.get_mut(&id).filter(|_| !is_over) else { return };
        if !peer.is_due(now) {
            return;
        }
        peer.start_at = None;
        let (jvm, origin, absent) = (peer.jvm, peer.origin.clone(), peer.absent.clone());
        let (early, is_measured) = (std::mem::take(&mut peer.early), peer.is_measured());
        if is_measured {
            self.has_classes(id);
            if self.was_sent_away(id) {
                return;
            }
        }
        if self.measuring_since.is_none() {
            self.observer.note("the measurement starts");
            self.save(false);
            self.measuring_since = Some((now, self.samples_so_far()));
        } else {
            self.observer.note(&format!("{origin} is measured too"));
        }
        absent.into_iter().zip(1..).for_each(|(method, count)| self.say_absent(method, count));
        for (method, class_loader, outcome) in early {
            self.outcome(id, method, &class_loader, outcome);
        }
        self.event_in(jvm, Event::Start);
        // Later changes are gathered for a cycle.
        self.peers.get_mut(&id).into_iter().for_each(Peer::change_classes);
    }

    /// Time at which the next JVM's measurement may start; `None` where all are measured.
    pub(super) fn start_at(&self) -> Option<Instant> {
        self.peers.values().filter(|peer| peer.is_here()).filter_map(Peer::next_due).min()
    }

    /// Whether a JVM is connected and none is measured yet.
    pub(super) fn is_starting(&self) -> bool {
        self.measuring_since.is_none() && self.start_at().is_some()
    }

    /// Passes to the scheduler the CPU time that each agent's thread used, and the new budget.
    pub(super) fn spend(&mut self) {
        let now = Instant::now();
        let told = |(jvm, cost): (JvmIx, &mut Cost)| (jvm, cost.agent_used(now), cost.budget(now));
        let mut all = Vec::new();
        all.extend(self.cost.as_mut().map(|cost| told((JvmIx::default(), cost))));
        let here = self.peers.values_mut().filter(|peer| peer.is_here());
        all.extend(here.filter_map(|peer| Some((peer.jvm, peer.cost.as_mut()?))).map(told));
        for (jvm, cpu_ns, budget) in all {
            cpu_ns.into_iter().for_each(|cpu_ns| self.event_in(jvm, Event::AgentUsed { cpu_ns }));
            budget.into_iter().for_each(|budget| self.event_in(jvm, Event::Budget(budget)));
        }
    }

    /// The JVM with this number, if it is connected.
    pub(super) fn peer_of(&mut self, jvm: JvmIx) -> Option<&mut Peer> {
        self.peers.values_mut().find(|peer| peer.jvm == jvm && peer.is_here())
    }

    /// Sends a message to every JVM that is measured.
    pub(super) fn send(&self, message: &ToAgent) {
        self.peers.values().for_each(|peer| peer.send(message.clone()));
    }

    /// Whether a JVM is measured by this connection.
    pub(super) fn is_peer(&self, connection: u64) -> bool {
        self.peers.get(&PeerId(connection)).is_some_and(Peer::is_here)
    }

    /// Whether a JVM is connected.
    pub(super) fn is_anybody_here(&self) -> bool {
        self.peers.values().any(Peer::is_here)
    }

    /// The connected JVMs.
    pub(super) fn ids_here(&self) -> Vec<PeerId> {
        self.peers.iter().filter(|(_, peer)| peer.is_here()).map(|(&id, _)| id).collect()
    }

    /// Whether a JVM did not find the class of a method and no JVM has it.
    pub(super) fn is_absent(&self, method: usize) -> bool {
        let lacks = |peer: &Peer| peer.absent.contains(&method);
        let has = |peer: &Peer| peer.ready.contains(&method) && !lacks(peer);
        self.peers.values().any(lacks) && !self.peers.values().any(has)
    }

    /// Methods whose class was in none of the JVMs that looked for it.
    pub(super) fn absent(&self) -> BTreeSet<usize> {
        let looked_for = self.peers.values().flat_map(|peer| &peer.absent).copied();
        looked_for.filter(|&method| self.is_absent(method)).collect()
    }
}
