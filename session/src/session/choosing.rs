//! Which of several JVMs of a command is measured: the one that has the classes.

use super::Session;
use crate::peer::{Peer, PeerId};
use spl_wire::ToAgent;

/// JVMs without the classes that are let in at once: a build tool, its daemon, their forks.
const MOST: usize = 16;

impl Session<'_> {
    /// Whether no other JVM is let in. Those of a command are, as long as none has the classes; at a port programs take turns.
    pub(super) fn are_enough(&self) -> bool {
        let here = self.ids_here().len();
        if self.at_port || self.which.each {
            return here >= self.config.programs;
        }
        self.with_classes(None) >= self.config.programs || here >= MOST
    }

    /// A JVM has some of the classes: it is one of those that are measured, and when they are enough the others are sent away.
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

    /// JVMs that have some of the classes, but for this one.
    fn with_classes(&self, but: Option<PeerId>) -> usize {
        let is_other = |id: &PeerId| Some(*id) != but;
        let here = self.peers.iter().filter(|(id, peer)| is_other(id) && peer.is_here());
        here.filter(|(id, peer)| !peer.ready.is_empty() && !self.was_sent_away(**id)).count()
    }

    fn send_away(&mut self, id: PeerId, why: &str) {
        let Some(peer) = self.peers.get_mut(&id).filter(|_| self.sent_away.insert(id)) else { return };
        peer.send(ToAgent::Detach);
        peer.start_at = None;
        let pid = peer.pid();
        self.say_turned_away(pid, why);
        // It may ask again, and is told no more.
        self.turned_away.1.insert(pid);
    }

    /// Whether a JVM was let in and then sent away.
    pub(super) fn was_sent_away(&self, id: PeerId) -> bool {
        self.sent_away.contains(&id)
    }

    /// Whether another JVM may come when the last one has gone: the command goes on, and nothing was measured yet, as of `java -version` at
    /// the head of a script.
    pub(super) fn awaits_another(&self) -> bool {
        !self.at_port
            && !self.command_ended
            && !self.interrupted
            && self.detach_by.is_none()
            && !self.scheduler.is_done()
            && self.problems.is_empty()
            && self.samples_so_far() == 0
    }
}
