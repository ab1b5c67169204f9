//! The way from one controller to the next: how the agent looks for one, and when it wakes after a
//! detachment.

use super::{Begin, Connection, Ended};
use crate::life::Stage;
use crate::options::Options;
use crate::shared::Command;
use crate::stream::{self, Stream};
use crate::sys;
use crate::waker::Sleeper;
use std::sync::mpsc::Sender;
use std::time::Duration;

const RECONNECT_FIRST: Duration = Duration::from_millis(50);
const RECONNECT_LAST: Duration = Duration::from_secs(1);
/// Interval at which a dormant agent looks for the token of another controller.
const LOOK_FOR_TOKEN_EVERY: Duration = Duration::from_secs(2);
/// Longest wait of a dormant agent without a token file; an attach request wakes it.
const DORMANT_WAIT: Duration = Duration::from_secs(3600);

impl Connection {
    /// Runs until the JVM ends, the agent fails, or it leaves: only then the connection is returned, to be
    /// [renewed](Self::renew).
    pub fn run(mut self, sleeper: &Sleeper) -> Option<Self> {
        let mut left = false;
        while self.serve_until_detached(sleeper) {
            if self.given.shared.failure().is_some() {
                self.given.life.becomes(Stage::Failed);
                return None;
            }
            left = self.given.leaves;
            if left || !self.sleep_until_revived(sleeper) {
                break;
            }
        }
        if left && self.has_begun() {
            self.given.shared.command(Command::Leave);
        }
        // After the JVM's grace period nobody receives this.
        let _ = self.given.has_ended.send(());
        left.then_some(self)
    }

    /// Whether the agent thread was started.
    pub fn has_begun(&self) -> bool {
        self.given.begin.is_none()
    }

    /// Prepares the connection for another controller; `begin` starts the agent thread again.
    pub fn renew(
        &mut self,
        (options, mistakes): (Options, Vec<String>),
        begin: Option<Begin>,
        has_ended: Sender<()>,
    ) {
        self.given.life.is_dismissed();
        (self.given.options, self.given.mistakes) = (options, mistakes);
        self.given.begin = self.given.begin.take().or(begin);
        self.given.has_ended = has_ended;
    }

    /// Serves controllers one after the other; false when the JVM ends.
    fn serve_until_detached(&mut self, sleeper: &Sleeper) -> bool {
        let mut pause = RECONNECT_FIRST;
        loop {
            // A socket of the user's own belongs to a controller, however long its answer takes, and so does an agent that leaves.
            let sure = self.given.options.socket.is_some() || self.given.leaves;
            // Only a living JVM is connected: a thread that joins one that ends may hold up its end.
            if !self.given.life.becomes(if sure { Stage::Serving } else { Stage::Calling }) {
                return false;
            }
            let ended = match Stream::connect(&self.given.options) {
                Ok(stream) => {
                    // The JVM may end now; the session says so to its controller.
                    self.given.life.becomes(Stage::Serving);
                    // The last one at a port is known also after a controller at a socket.
                    self.token = stream.token().cloned().or(self.token.take());
                    let ended = self.session(stream, sleeper);
                    // Keep the pause growing after a controller that rejected the agent.
                    if !self.station.is_empty() {
                        pause = RECONNECT_FIRST;
                    }
                    ended
                }
                Err(_) => Ended::Lost,
            };
            self.given.shared.gates.close_all();
            if self.given.shared.failure().is_some() {
                return true;
            }
            // A drill ends once: each answer of the agent thread would end the pause below.
            let was_drilling = std::mem::take(&mut self.drills);
            let is_defined = !self.station.is_empty() || was_drilling;
            self.given.shared.start_program();
            self.station.forget();
            match ended {
                Ended::Detached => return true,
                Ended::Dying => return false,
                Ended::Lost if self.given.leaves => {
                    // The controller that attached the agent is gone, and no other one knows of it.
                    if is_defined {
                        self.given.shared.command(Command::Detach);
                        self.given.life.restored(self.await_restored().is_ok());
                    }
                    return true;
                }
                Ended::Lost if is_defined => self.given.shared.command(Command::RestoreAll),
                Ended::Lost => {}
            }
            if self.given.options != self.home {
                // The controller that attached is gone; that of the JVM's start may still come.
                return true;
            }
            if self.given.life.is_dismissed() {
                return true;
            }
            if !self.given.life.becomes(Stage::Resting) {
                return false;
            }
            sys::wait_readable([sleeper.fd()], pause);
            sleeper.rest();
            pause = (pause * 2).min(RECONNECT_LAST);
            if self.is_wanted_elsewhere() {
                pause = RECONNECT_FIRST;
            }
            if self.given.life.is_over() {
                return false;
            }
        }
    }

    /// Waits until another controller wants the agent; false when the JVM ends. Either a controller attaches,
    /// or another token is in the file: each controller at a port has a token of its own, and the controller
    /// that detached the agent is done with its token.
    fn sleep_until_revived(&mut self, sleeper: &Sleeper) -> bool {
        if self.given.options != self.home {
            self.given.options = self.home.clone();
            self.given.mistakes.clear();
            self.given.life.serves(&self.home);
        }
        while self.given.life.becomes(Stage::Dormant) {
            // Nothing is left to be ended, and the next service is another one.
            self.given.life.is_dismissed();
            if self.is_wanted_elsewhere() {
                return true;
            }
            let is_at_port = self.given.options.socket.is_none() && self.given.options.token_file.is_some();
            if is_at_port {
                let token = stream::token(&self.given.options);
                if token.is_some() && token != self.token {
                    self.given.life.becomes(Stage::Calling);
                    // A controller that attached at this moment was promised service.
                    self.is_wanted_elsewhere();
                    return true;
                }
            }
            let wait = if is_at_port { LOOK_FOR_TOKEN_EVERY } else { DORMANT_WAIT };
            sys::wait_readable([sleeper.fd()], wait);
            sleeper.rest();
        }
        false
    }

    /// Takes over the options of a controller that has attached, if any.
    fn is_wanted_elsewhere(&mut self) -> bool {
        let Some((options, mistakes)) = self.given.life.revival() else { return false };
        (self.given.options, self.given.mistakes) = (options, mistakes);
        true
    }
}
