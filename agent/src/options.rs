//! The agent's options (thesis 3.3.1): `-agentpath:…=key=value,…`, else system properties of the same name.

use std::path::PathBuf;

/// The controller's port if no other is set (thesis 3.3.1).
pub const DEFAULT_PORT: u16 = 38_692;
const DEFAULT_SLEEP_MS: u64 = 100;
const DEFAULT_MEASUREMENTS: u64 = 100_000;

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
    /// Most samples of one method (`spl.client.measurements`).
    pub measurements: u64,
}

/// The longest pause between two transmissions, an hour in milliseconds. A larger value is a typing error,
/// and samples would pile up.
const LONGEST_SLEEP_MS: u64 = 3_600_000;

impl Options {
    /// Reads the agent's option string, and `property` for options missing in it. Invalid values fall back to
    /// defaults, so that the program starts. The second value lists each mistake for the operator.
    pub fn read(text: &str, property: impl Fn(&str) -> Option<String>) -> (Self, Vec<String>) {
        const KEYS: [&str; 5] = [
            "spl.client.socket",
            "spl.client.port",
            "spl.client.token-file",
            "spl.client.sleep",
            "spl.client.measurements",
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
        let [socket, port, token_file, sleep, measurements] = values;
        let path = |path: Option<String>| path.filter(|path| !path.is_empty()).map(PathBuf::from);
        let mut number = |at: usize, value: Option<String>, default: u64, most: u64| {
            let Some(text) = value else { return default };
            text.parse().ok().filter(|number| *number <= most).unwrap_or_else(|| {
                mistakes.push(format!(
                    "{} = {text:?} is not a number from 0 to {most}; {default} is taken",
                    KEYS[at]
                ));
                default
            })
        };
        let port = number(1, port, DEFAULT_PORT.into(), u16::MAX.into());
        let options = Self {
            socket: path(socket),
            port: u16::try_from(port).unwrap_or(DEFAULT_PORT),
            token_file: path(token_file),
            sleep_ms: number(3, sleep, DEFAULT_SLEEP_MS, LONGEST_SLEEP_MS),
            measurements: number(4, measurements, DEFAULT_MEASUREMENTS, u64::MAX),
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
        assert_eq!((defaults.port, defaults.sleep_ms, defaults.measurements), (38_692, 100, 100_000));
        let property = |key: &str| (key == "spl.client.port").then(|| "7".to_owned());
        assert_eq!(read("", property).port, 7);
        let both = read("spl.client.port=8,spl.client.socket=/a/b", property);
        assert_eq!((both.port, both.socket), (8, Some("/a/b".into())));
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
            "spl.client.port = \"99999\" is not a number from 0 to 65535; 38692 is taken",
        );
        check("spl.client.sleep=-1", "spl.client.sleep");
        check("spl.client.sleep=3600001", "3600000");
        check("spl.client.measurements=many", "spl.client.measurements");
    }
}
