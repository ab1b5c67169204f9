//! What the agent is told at start (thesis 3.3.1): `-agentpath:…=key=value,…`, else system properties of the same name.

use std::path::PathBuf;

/// The controller's port when none is named (thesis 3.3.1).
pub const DEFAULT_PORT: u16 = 38_692;
const DEFAULT_SLEEP_MS: u64 = 100;
const DEFAULT_MEASUREMENTS: u64 = 10_000;

/// The agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Unix socket of the controller (`spl.client.socket`); beats the port.
    pub socket: Option<PathBuf>,
    /// Port of the controller on this machine (`spl.client.port`).
    pub port: u16,
    /// File that holds the controller's secret (`spl.client.token-file`).
    pub token_file: Option<PathBuf>,
    /// Milliseconds between two sendings of samples (`spl.client.sleep`).
    pub sleep_ms: u64,
    /// Samples of one method at most (`spl.client.measurements`).
    pub measurements: u64,
}

impl Options {
    /// From the agent's option string; what it doesn't name is asked of `property`.
    ///
    /// # Errors
    /// An unknown key or a value that is no number; one line of text.
    pub fn read(text: &str, property: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        const KEYS: [&str; 5] = [
            "spl.client.socket",
            "spl.client.port",
            "spl.client.token-file",
            "spl.client.sleep",
            "spl.client.measurements",
        ];
        let mut values: [Option<String>; KEYS.len()] = KEYS.map(property);
        for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let at = KEYS
                .iter()
                .position(|known| *known == key.trim())
                .ok_or_else(|| format!("unknown agent option {key:?}; known are {}", KEYS.join(", ")))?;
            values[at] = Some(value.trim().to_owned());
        }
        let [socket, port, token_file, sleep, measurements] = values;
        Ok(Self {
            socket: socket.filter(|path| !path.is_empty()).map(PathBuf::from),
            port: number(KEYS[1], port, DEFAULT_PORT)?,
            token_file: token_file.filter(|path| !path.is_empty()).map(PathBuf::from),
            sleep_ms: number(KEYS[3], sleep, DEFAULT_SLEEP_MS)?,
            measurements: number(KEYS[4], measurements, DEFAULT_MEASUREMENTS)?,
        })
    }
}

fn number<T: std::str::FromStr>(key: &str, value: Option<String>, default: T) -> Result<T, String> {
    match value {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| format!("{key} = {text:?} is not a number in range")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_beat_properties_beat_defaults() {
        let none = |_: &str| None;
        let defaults = Options::read("", none).unwrap();
        assert_eq!((defaults.port, defaults.sleep_ms, defaults.measurements), (38_692, 100, 10_000));
        let property = |key: &str| (key == "spl.client.port").then(|| "7".to_owned());
        assert_eq!(Options::read("", property).unwrap().port, 7);
        let both = Options::read("spl.client.port=8,spl.client.socket=/a/b", property).unwrap();
        assert_eq!((both.port, both.socket), (8, Some("/a/b".into())));
    }

    #[test]
    fn mistakes_are_named() {
        let none = |_: &str| None;
        assert!(Options::read("spl.client.prot=8", none).unwrap_err().contains("spl.client.prot"));
        assert!(Options::read("spl.client.port=99999", none).unwrap_err().contains("99999"));
        assert!(Options::read("spl.client.sleep=-1", none).unwrap_err().contains("spl.client.sleep"));
    }
}
