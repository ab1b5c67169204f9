//! From one controller to the next: how the agent looks for one, and what it waits for when one has detached it.

use super::drain::Handles;
use super::{Ended, Link};
use crate::life::Stage;
use crate::state::Command;
use crate::stream::{self, Stream};
use crate::sys;
use std::collections::BTreeSet;
use std::time::Duration;

const RECONNECT_FIRST: Duration = Duration::from_millis(50);
const RECONNECT_LAST: Duration = Duration::from_secs(1);
/// Between two looks of a dormant agent for the token of another controller.
const LOOK_FOR_TOKEN_EVERY: Duration = Duration::from_secs(2);
/// Longest wait of a dormant agent that has no token to look for; it is woken when it is wanted.
const DORMANT_WAIT: Duration = Duration::from_secs(3600);

impl Link {
    /// Runs until the JVM ends, or the agent fails.
    pub fn run(mut self) {
        while self.serve_until_detached() {
            if self.parts.state.failure().is_some() {
                self.parts.life.becomes(Stage::Failed);
                return;
            }
            if !self.sleep_until_revived() {
                break;
            }
        }
        // Nobody listens when the JVM has given up waiting.
        let _ = self.parts.has_ended.send(());
    }

    /// Serves one controller after the other; false when the JVM ends.
    fn serve_until_detached(&mut self) -> bool {
        let mut pause = RECONNECT_FIRST;
        loop {
            // At a socket of the user's own there is nobody else, however long the answer takes.
            let sure = self.parts.options.socket.is_some();
            self.parts.life.becomes(if sure { Stage::Serving } else { Stage::Calling });
            let ended = match Stream::connect(&self.parts.options) {
                Ok(stream) => {
                    self.parts.life.becomes(Stage::Serving);
                    self.token = stream.token().cloned();
                    let ended = self.session(stream);
                    // One that has turned us away is not asked again at once.
                    if !self.methods.is_empty() {
                        pause = RECONNECT_FIRST;
                    }
                    ended
                }
                Err(_) => Ended::Lost,
            };
            self.parts.state.gates.close_all();
            if self.parts.state.failure().is_some() {
                return true;
            }
            let is_defined = !self.methods.is_empty();
            self.forget_methods();
            match ended {
                Ended::Detached => return true,
                Ended::Dying => return false,
                Ended::Lost if is_defined => self.parts.state.command(Command::RestoreAll),
                Ended::Lost => {}
            }
            if !self.parts.life.becomes(Stage::Resting) {
                return false;
            }
            sys::wait_readable([self.parts.sleeper.fd()], pause);
            self.parts.sleeper.rest();
            pause = (pause * 2).min(RECONNECT_LAST);
            if self.is_wanted_elsewhere() {
                pause = RECONNECT_FIRST;
            }
            if self.parts.life.is_over() {
                return false;
            }
        }
    }

    /// Waits until another controller wants the agent; false when the JVM ends. One attaches, or another token stands in the file:
    /// each controller at a port has a token of its own, and the one that has detached the agent is done with it.
    fn sleep_until_revived(&mut self) -> bool {
        while self.parts.life.becomes(Stage::Dormant) {
            if self.is_wanted_elsewhere() {
                return true;
            }
            let is_at_port = self.parts.options.socket.is_none() && self.parts.options.token_file.is_some();
            if is_at_port {
                let token = stream::token(&self.parts.options);
                if token.is_some() && token != self.token {
                    self.parts.life.becomes(Stage::Calling);
                    // One that attached at this moment was promised to be served.
                    self.is_wanted_elsewhere();
                    return true;
                }
            }
            let wait = if is_at_port { LOOK_FOR_TOKEN_EVERY } else { DORMANT_WAIT };
            sys::wait_readable([self.parts.sleeper.fd()], wait);
            self.parts.sleeper.rest();
        }
        false
    }

    /// Takes over the options of a controller that has attached, if one has.
    fn is_wanted_elsewhere(&mut self) -> bool {
        let Some((options, mistakes)) = self.parts.life.revival() else { return false };
        (self.parts.options, self.parts.mistakes) = (options, mistakes);
        true
    }

    /// What a session's controller has defined.
    fn forget_methods(&mut self) {
        self.methods.clear();
        self.defined.clear();
        self.names = 0;
        self.handles = Handles::default();
        (self.open, self.may_come) = (BTreeSet::new(), 0);
    }
}
