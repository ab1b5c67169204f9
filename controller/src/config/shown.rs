//! The keys with their values, as reports show them.

use super::keys::{AT_ONCE, BEYOND_THESIS, OF_THESIS, section_of};
use spl_records::context::Setting;
use std::collections::BTreeMap;

/// Keys set explicitly, by section and key.
pub type Written = BTreeMap<(String, String), String>;

/// Keys set explicitly, with other values of some keys.
pub fn with(mut written: Written, changes: &[(String, String)]) -> Written {
    let changed =
        changes.iter().map(|(key, value)| ((section_of(key).to_owned(), key.clone()), value.clone()));
    written.extend(changed);
    written
}

/// The file that shows every key with its default.
pub(super) const DEFAULTS: &str = include_str!("../../../splserver.ini");

/// Keys set explicitly in the text; empty if it does not parse.
pub fn written(text: &str) -> Written {
    let Ok(ini) = ini::Ini::load_from_str_noescape(text) else { return Written::new() };
    let pairs = ini.iter().flat_map(|(section, properties)| {
        let section = section.unwrap_or("").to_owned();
        properties
            .iter()
            .map(move |(key, value)| ((section.clone(), key.to_owned()), value.trim().to_owned()))
    });
    pairs.collect()
}

/// Every key with its value, where `changed` are the keys set explicitly.
pub fn settings(changed: &Written) -> Vec<Setting> {
    let says =
        |wanted: &str, value: &str| changed.iter().any(|((_, key), own)| key == wanted && own == value);
    let of_thesis = says("profile", "thesis");
    let at_once = says("method", "welch") || says("policy", "delay") || says("run-mode", "measurement");
    let setting = |((section, key), default): ((String, String), String)| {
        let value = match changed.get(&(section.clone(), key.clone())) {
            Some(value) => value.clone(),
            None if of_thesis && BEYOND_THESIS.contains(&key.as_str()) => "off: profile = thesis".to_owned(),
            None => {
                let of = |others: &[(&str, &str)]| {
                    others.iter().find(|(own, _)| *own == key).map(|(_, value)| (*value).to_owned())
                };
                let other = if of_thesis { of(&OF_THESIS) } else { of(&AT_ONCE).filter(|_| at_once) };
                other.unwrap_or_else(|| default.clone())
            }
        };
        Setting { section, key, value, default }
    };
    written(DEFAULTS).into_iter().map(setting).collect()
}
