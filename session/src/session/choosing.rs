//! Choice among several JVMs of a command: the JVM that has the classes is measured.

use super::Session;
use crate::peer::{Peer, PeerId};
use spl_wire::ToAgent;
use std::sync::Arc;

/// Most JVMs without the classes that are accepted at once: a build tool, its daemon, their forks.
const MOST: usize = 16;

impl Session<'_> {
    /// Whether no other JVM is accepted. JVMs of a command are accepted until one has the classes: a build tool lives
    /// longer than its forks. At a port programs take turns.
    pub(super) fn are_enough(&self) -> bool {
        let here = self.ids_here().len();
        if self.at_port {
            return here >= self.config.programs;
        }
        self.with_classes(None) >= self.config.programs || here >= MOST
    }

    /// Notes that a JVM has some of the classes and is measured, not only prepared. Once enough JVMs have them, the other JVMs
    /// are rejected.
    pub(super) fn has_classes(&mut self, id: PeerId) {
        if self.at_port {
            return;
        }
        let others = self.with_classes(Some(id));
        if others >= self.config.programs {
            return self.send_away(id, "another JVM of the program has the classes too, and is measured");
        }
        if others + 1 == self.config.programs {
            let without = |(_, peer): &(&PeerId, &Peer)| peer.is_here() && peer.ready.is_empty();
            let without = self.peers.iter().filter(without).map(|(&id, _)| id).collect::<Vec<_>>();
            without
                .into_iter()
                .for_each(|id| self.send_away(id, "another JVM of the program has the classes"));
        }
    }

    /// Number of JVMs that have some of the classes, without this one.
    fn with_classes(&self, but: Option<PeerId>) -> usize {
        let is_other = |id: &PeerId| Some(*id) != but;
        let here = self.peers.iter().filter(|(id, peer)| is_other(id) && peer.is_here());
        here.filter(|(id, peer)| peer.is_measured() && !self.was_sent_away(**id)).count()
    }

    fn send_away(&mut self, id: PeerId, why: &str) {
        if self.which.each {
            return self.let_wait(id, why);
        }
        let Some(peer) = self.peers.get_mut(&id).filter(|_| self.sent_away.insert(id)) else { return };
        peer.send(ToAgent::Detach);
        peer.start_at = None;
        let pid = peer.pid();
        self.say_turned_away(pid, why);
        // Its agent may connect again, without another message to the operator.
        self.turned_away.1.insert(pid);
    }

    /// Lets a JVM wait for its turn: its agent restores its classes and connects again and again.
    fn let_wait(&mut self, id: PeerId, why: &str) {
        let Some(peer) = self.peers.get(&id).filter(|peer| peer.is_here() && self.sent_away.insert(id))
        else {
            return;
        };
        peer.send(ToAgent::Reject { reason: why.to_owned() });
        let pid = peer.pid();
        self.turned_away.0.insert(id.0);
        self.say_waits(pid, why);
        self.without(id);
    }

    /// Reports a JVM that waits for its turn, once for each process id.
    pub(super) fn say_waits(&mut self, pid: u32, why: &str) {
        if self.waiting.insert(pid) {
            self.observer.note(&format!("pid {pid} waits: {why}"));
        }
    }

    /// Process ids of the JVMs that wait for their turn, or did.
    pub fn waiting(&self) -> impl Iterator<Item = u32> {
        self.waiting.iter().copied()
    }

    /// Process ids of the JVMs that had classes of the tasks and were not rejected.
    pub fn measured(&self) -> impl Iterator<Item = u32> {
        let peers = self.peers.iter().filter(|(id, _)| !self.was_sent_away(**id));
        peers.filter(|(_, peer)| !peer.ready.is_empty()).map(|(_, peer)| peer.pid())
    }

    /// Process ids and names of the JVMs that were measured and may still run, in the order in which they connected.
    pub fn measured_programs(&self) -> Vec<(u32, Arc<str>)> {
        let peers = || self.peers.iter().filter(|(id, _)| !self.was_sent_away(**id)).map(|(_, peer)| peer);
        let program = |peer: &Peer| Some((peer.process()?, Arc::clone(&peer.origin)));
        let with_classes: Vec<_> =
            peers().filter(|peer| !peer.ready.is_empty()).filter_map(program).collect();
        // A resumed run may have been decided before its JVM had a probe.
        if with_classes.is_empty() { peers().filter_map(program).collect() } else { with_classes }
    }

    /// Whether a JVM was accepted and later rejected.
    pub(super) fn was_sent_away(&self, id: PeerId) -> bool {
        self.sent_away.contains(&id)
    }

    /// Whether another JVM may come after the last one has gone: the command still runs, and nothing was
    /// measured yet, as with a `java -version` at the start of a script.
    pub(super) fn awaits_another(&self) -> bool {
        !self.at_port
            && !self.command_ended
            && !self.interrupted
            && self.detach_by.is_none()
            && !self.scheduler.is_done()
            && self.problems.is_empty()
            && self.measured_before.is_none()
            && self.samples_so_far() == 0
    }
}
