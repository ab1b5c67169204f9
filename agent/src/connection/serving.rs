//! The way from one controller to the next: how the agent looks for one, and when it wakes after a
//! detachment.

use super::{Connection, Ended};
use crate::life::Stage;
use crate::shared::Command;
use crate::stream::{self, Stream};
use crate::sys;
use std::time::Duration;

const RECONNECT_FIRST: Duration = Duration::from_millis(50);
const RECONNECT_LAST: Duration = Duration::from_secs(1);
/// Interval at which a dormant agent looks for the token of another controller.
const LOOK_FOR_TOKEN_EVERY: Duration = Duration::from_secs(2);
/// Longest wait of a dormant agent without a token file; an attach request wakes it.
const DORMANT_WAIT: Duration = Duration::from_secs(3600);

impl Connection {
    /// Runs until the JVM ends, or the agent fails.
    pub fn run(mut self) {
        while self.serve_until_detached() {
            if self.given.shared.failure().is_some() {
                self.given.life.becomes(Stage::Failed);
                return;
            }
            if !self.sleep_until_revived() {
                break;
            }
        }
        // After the JVM's grace period nobody receives this.
        let _ = self.given.has_ended.send(());
    }

    /// Serves controllers one after the other; false when the JVM ends.
    fn serve_until_detached(&mut self) -> bool {
        let mut pause = RECONNECT_FIRST;
        loop {
            // A socket of the user's own belongs to a controller, however long its answer takes.
            let sure = self.given.options.socket.is_some();
            self.given.life.becomes(if sure { Stage::Serving } else { Stage::Calling });
            let ended = match Stream::connect(&self.given.options) {
                Ok(stream) => {
                    self.given.life.becomes(Stage::Serving);
                    self.token = stream.token().cloned();
                    let ended = self.session(stream);
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
            let is_defined = !self.station.is_empty();
            self.station.forget();
            match ended {
                Ended::Detached => return true,
                Ended::Dying => return false,
                Ended::Lost if is_defined => self.given.shared.command(Command::RestoreAll),
                Ended::Lost => {}
            }
            if !self.given.life.becomes(Stage::Resting) {
                return false;
            }
            sys::wait_readable([self.given.sleeper.fd()], pause);
            self.given.sleeper.rest();
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
    fn sleep_until_revived(&mut self) -> bool {
        while self.given.life.becomes(Stage::Dormant) {
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
            sys::wait_readable([self.given.sleeper.fd()], wait);
            self.given.sleeper.rest();
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
