//! The agent's options (thesis 3.3.1): `-agentpath:…=key=value,…`, else system properties of the same name.

use crate::sys;
use std::path::PathBuf;

/// The controller's port if no other is set (thesis 3.3.1).
pub const DEFAULT_PORT: u16 = 38_692;
const DEFAULT_SLEEP_MS: u64 = 100;

/// The agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Unix socket of the controller (`spl.client.socket`); beats the port.
    pub socket: Option<PathBuf>,
    /// Port of the controller on this machine (`spl.client.port`).
    pub port: u16,
    /// File that holds the controller's secret (`spl.client.token-file`).
    pub token_file: Option<PathBuf>,
    /// Milliseconds between two transmissions of samples (`spl.client.sleep`).
    pub sleep_ms: u64,
    /// Most samples of one method (`spl.client.measurements`), if the program has a limit of its own.
    pub measurements: Option<u64>,
    /// Milliseconds that the program waits before its first class for a drill to begin
    /// (`spl.client.wait`).
    pub wait_ms: u64,
    /// Name of this instance of the program (`spl.client.instance`); by default that of the pod or the host.
    pub instance: String,
}

/// More samples of a method than any program takes: one each nanosecond for three days.
const UNLIMITED: u64 = 1 << 48;

/// The longest pause between two transmissions, an hour in milliseconds. A larger value is a typing error,
/// and samples would pile up.
const LONGEST_SLEEP_MS: u64 = 3_600_000;

/// The longest wait for a drill, a minute in milliseconds: no controller may stop a program for good.
const LONGEST_WAIT_MS: u64 = 60_000;

impl Options {
    /// Most samples of one method, or a number that no program reaches.
    pub fn most_samples(&self) -> u64 {
        self.measurements.unwrap_or(UNLIMITED)
    }

    /// Reads the agent's option string, and `property` for options missing in it. Invalid values fall back to
    /// defaults, so that the program starts. The second value lists each mistake for the operator.
    pub fn read(text: &str, property: impl Fn(&str) -> Option<String>) -> (Self, Vec<String>) {
        const KEYS: [&str; 7] = [
            "spl.client.socket",
            "spl.client.port",
            "spl.client.token-file",
            "spl.client.sleep",
            "spl.client.measurements",
            "spl.client.wait",
            "spl.client.instance",
        ];
        let mut values: [Option<String>; KEYS.len()] = KEYS.map(property);
        let mut mistakes = Vec::new();
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match KEYS.iter().position(|known| *known == key.trim()) {
                Some(at) => values[at] = Some(value.trim().to_owned()),
                None => mistakes.push(format!(
                    "unknown agent option {:?}; known are {}",
                    key.trim(),
                    KEYS.join(", ")
                )),
            }
        }
        let [socket, port, token_file, sleep, measurements, wait, instance] = values;
        let path = |path: Option<String>| path.filter(|path| !path.is_empty()).map(PathBuf::from);
        let mut number = |at: usize, value: Option<String>, most: u64| {
            let text = value?;
            let number = text.parse().ok().filter(|number| *number <= most);
            if number.is_none() {
                mistakes
                    .push(format!("{} = {text:?} is not a number from 0 to {most}; it is ignored", KEYS[at]));
            }
            number
        };
        let port = number(1, port, u16::MAX.into()).and_then(|port| u16::try_from(port).ok());
        let options = Self {
            socket: path(socket),
            port: port.unwrap_or(DEFAULT_PORT),
            token_file: path(token_file),
            sleep_ms: number(3, sleep, LONGEST_SLEEP_MS).unwrap_or(DEFAULT_SLEEP_MS),
            measurements: number(4, measurements, UNLIMITED),
            wait_ms: number(5, wait, LONGEST_WAIT_MS).unwrap_or(0),
            instance: instance.filter(|name| !name.is_empty()).unwrap_or_else(sys::place),
        };
        (options, mistakes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_beat_properties_beat_defaults() {
        let read = |text, property: fn(&str) -> Option<String>| {
            let (options, mistakes) = Options::read(text, property);
            assert_eq!(mistakes, [""; 0]);
            options
        };
        let defaults = read("", |_| None);
        assert_eq!((defaults.port, defaults.sleep_ms, defaults.measurements), (38_692, 100, None));
        let property = |key: &str| (key == "spl.client.port").then(|| "7".to_owned());
        assert_eq!(read("", property).port, 7);
        let both = read("spl.client.port=8,spl.client.socket=/a/b", property);
        assert_eq!((both.port, both.socket), (8, Some("/a/b".into())));
        assert_eq!(read("spl.client.instance=pod-7", |_| None).instance, "pod-7");
        assert!(!defaults.instance.is_empty(), "the host has a name");
    }

    #[test]
    fn mistakes_are_named_and_leave_the_default() {
        let check = |text: &str, part: &str| {
            let (options, mistakes) = Options::read(text, |_| None);
            assert_eq!(options, Options::read("", |_| None).0, "{text}");
            assert!(mistakes.len() == 1 && mistakes[0].contains(part), "{mistakes:?}");
        };
        check("spl.client.prot=8", "spl.client.prot");
        check(
            "spl.client.port=99999",
            "spl.client.port = \"99999\" is not a number from 0 to 65535; it is ignored",
        );
        check("spl.client.sleep=-1", "spl.client.sleep");
        check("spl.client.sleep=3600001", "3600000");
        check("spl.client.measurements=many", "spl.client.measurements");
    }
}
