//! The stage of the agent's life, in one value that callbacks, socket thread and attach requests share.

use crate::options::Options;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stage of the agent's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// Waits for the next attempt to reach a controller.
    Resting,
    /// Tries to reach a controller, which may not exist.
    Calling,
    /// A controller has answered, or is certain to answer.
    Serving,
    /// Detached by a controller. Only a controller with another token is looked for, until it is
    /// [revived](Life::revive).
    Dormant,
    /// Stopped for good after an error of its own.
    Failed,
    /// The JVM ends.
    Dying,
    /// Without threads until it is attached again.
    Gone,
}

impl Stage {
    const ALL: [Self; 7] =
        [Self::Resting, Self::Calling, Self::Serving, Self::Dormant, Self::Failed, Self::Dying, Self::Gone];
}

/// The controllers that have attached the agent.
#[derive(Debug)]
struct Controllers {
    /// Options of the one that wants the agent next, and the mistakes in them.
    next: Option<(Options, Vec<String>)>,
    /// Socket of the one that is served, or was last.
    served: Option<PathBuf>,
}

/// The stage, and the pending request that revives the agent.
#[derive(Debug)]
pub struct Life {
    stage: AtomicU8,
    controllers: Mutex<Controllers>,
    /// Whether somebody other than its controller wants the agent to restore all classes and end its service.
    dismissed: AtomicBool,
    /// Whether a class could not be restored when the last service ended.
    unrestored: AtomicBool,
}

impl Life {
    /// The state before the first attempt to reach a controller.
    pub const fn new() -> Self {
        Self {
            stage: AtomicU8::new(Stage::Resting as u8),
            controllers: Mutex::new(Controllers { next: None, served: None }),
            dismissed: AtomicBool::new(false),
            unrestored: AtomicBool::new(false),
        }
    }

    /// The current stage.
    pub fn stage(&self) -> Stage {
        Self::of(self.stage.load(Ordering::Acquire))
    }

    /// Enters another stage; false when the JVM ends, because that stage is final.
    pub fn becomes(&self, next: Stage) -> bool {
        let alive = |now| (Self::of(now) != Stage::Dying).then_some(next as u8);
        self.stage.fetch_update(Ordering::AcqRel, Ordering::Acquire, alive).is_ok()
    }

    /// Enters the last stage when the JVM ends; returns the stage before.
    pub fn ends(&self) -> Stage {
        Self::of(self.stage.swap(Stage::Dying as u8, Ordering::AcqRel))
    }

    /// Whether the JVM ends.
    pub fn is_over(&self) -> bool {
        self.stage() == Stage::Dying
    }

    /// Requests the agent for a controller with these options. False while it serves another one, after a
    /// failure, and while a request is pending. The caller wakes the socket thread.
    pub fn revive(&self, options: Options, mistakes: Vec<String>) -> bool {
        let mut controllers = self.controllers();
        let is_free = matches!(self.stage(), Stage::Dormant | Stage::Resting | Stage::Calling)
            && controllers.next.is_none();
        if is_free {
            controllers.next = Some((options, mistakes));
        }
        is_free
    }

    /// Takes the pending request, if any: this controller is served from now on.
    pub fn revival(&self) -> Option<(Options, Vec<String>)> {
        let mut controllers = self.controllers();
        let next = controllers.next.take();
        if let Some((options, _)) = &next {
            controllers.served.clone_from(&options.socket);
        }
        next
    }

    /// Notes which controller is served from now on.
    pub fn serves(&self, options: &Options) {
        self.controllers().served.clone_from(&options.socket);
    }

    /// Whether the controller at this socket is served, or wants to be.
    pub fn is_for(&self, socket: &Path) -> bool {
        let controllers = self.controllers();
        let next = controllers.next.as_ref().and_then(|(options, _)| options.socket.as_ref());
        [next, controllers.served.as_ref()].into_iter().flatten().any(|known| known == socket)
    }

    fn controllers(&self) -> MutexGuard<'_, Controllers> {
        self.controllers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the agent to end its service; returns whether there was one to end. The caller wakes the socket
    /// thread.
    pub fn dismiss(&self) -> bool {
        let serves = matches!(self.stage(), Stage::Resting | Stage::Calling | Stage::Serving);
        if serves {
            self.dismissed.store(true, Ordering::Release);
        }
        serves
    }

    /// Takes the request to end the service, if any.
    pub fn is_dismissed(&self) -> bool {
        self.dismissed.swap(false, Ordering::AcqRel)
    }

    /// Notes how a service ended.
    pub fn restored(&self, all: bool) {
        self.unrestored.store(!all, Ordering::Release);
    }

    /// Whether a class could not be restored when the last service ended.
    pub fn left_changed(&self) -> bool {
        self.unrestored.load(Ordering::Acquire)
    }

    fn of(stage: u8) -> Stage {
        Stage::ALL.get(usize::from(stage)).copied().unwrap_or(Stage::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_read_as_they_were_written() {
        let life = Life::new();
        assert_eq!(life.stage(), Stage::Resting);
        for stage in
            [Stage::Calling, Stage::Serving, Stage::Dormant, Stage::Failed, Stage::Gone, Stage::Resting]
        {
            assert!(life.becomes(stage));
            assert_eq!(life.stage(), stage);
        }
    }

    #[test]
    fn only_a_service_can_be_ended_and_only_once() {
        let life = Life::new();
        for stage in [Stage::Dormant, Stage::Failed, Stage::Gone] {
            life.becomes(stage);
            assert!(!life.dismiss() && !life.is_dismissed(), "{stage:?}");
        }
        for stage in [Stage::Resting, Stage::Calling, Stage::Serving] {
            life.becomes(stage);
            assert!(life.dismiss() && life.is_dismissed() && !life.is_dismissed(), "{stage:?}");
        }
    }

    #[test]
    fn nothing_comes_after_the_end() {
        let life = Life::new();
        life.becomes(Stage::Serving);
        assert_eq!(life.ends(), Stage::Serving);
        assert!(!life.becomes(Stage::Resting) && life.is_over());
        assert_eq!(life.ends(), Stage::Dying);
    }

    #[test]
    fn an_agent_without_a_controller_is_revived_and_by_one() {
        let life = Life::new();
        let (options, mistakes) = Options::read("spl.client.port=7", |_| None);
        for stage in [Stage::Serving, Stage::Failed, Stage::Gone] {
            life.becomes(stage);
            assert!(!life.revive(options.clone(), mistakes.clone()), "{stage:?}");
        }
        for stage in [Stage::Dormant, Stage::Resting, Stage::Calling] {
            life.becomes(stage);
            assert!(life.revive(options.clone(), mistakes.clone()), "{stage:?}");
            assert!(!life.revive(options.clone(), mistakes.clone()), "it is wanted already");
            assert_eq!(life.revival().map(|(options, _)| options.port), Some(7));
            assert_eq!(life.revival(), None);
        }
        life.ends();
        assert!(!life.revive(options, mistakes), "the JVM ends");
    }

    #[test]
    fn the_controller_that_is_served_is_known_by_its_socket() {
        let (life, [first, next]) = (Life::new(), ["/first", "/next"].map(Path::new));
        let options = |socket| Options::read(&format!("spl.client.socket={socket}"), |_| None);
        assert!(!life.is_for(first));
        life.serves(&options("/first").0);
        assert!(life.is_for(first) && !life.is_for(next));
        let (wanted, mistakes) = options("/next");
        assert!(life.revive(wanted, mistakes));
        assert!(life.is_for(first) && life.is_for(next), "the service of the first one may not be over");
        life.revival();
        assert!(!life.is_for(first) && life.is_for(next));
    }
}
