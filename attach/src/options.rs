//! Options of a JVM by which attaching is allowed or forbidden: from its command line, its variables, the files that
//! these name, and its own counters.

/// Variables whose text a JVM or its launcher reads as options.
pub const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Facts that follow from the options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The JVM prints its threads where another one would listen (`-XX:+DisableAttachMechanism`).
    pub refuses_attach: bool,
    /// The JVM loads no library any more (`-XX:-EnableDynamicAgentLoading`).
    pub refuses_agents: bool,
    /// The JVM loads libraries without a warning (`-XX:+EnableDynamicAgentLoading`).
    pub allows_agents: bool,
    /// The JVM does not record which compiled code contains a method (`-XX:-AlwaysRecordEvolDependencies`).
    pub forgets_dependencies: bool,
    /// The JVM handles no SIGQUIT, which ends it; it listens from its start on (`-Xrs`).
    pub few_signals: bool,
    /// Whether all options were found.
    pub known: bool,
}

impl Options {
    /// Reads texts with options, in any order. A text counts wherever one of the names stands in it, also
    /// where a later option takes it back: a JVM that is left alone by mistake loses nothing.
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>, known: bool) -> Self {
        let mut options = Self { known, ..Self::default() };
        for text in texts {
            options.refuses_attach |= stands(text, "DisableAttachMechanism", |before| before != Some('-'));
            options.refuses_agents |= stands(text, "EnableDynamicAgentLoading", |before| before == Some('-'));
            options.allows_agents |= stands(text, "EnableDynamicAgentLoading", |before| before == Some('+'));
            options.forgets_dependencies |=
                stands(text, "AlwaysRecordEvolDependencies", |before| before == Some('-'));
            options.few_signals |= stands(text, "ReduceSignalUsage", |before| before != Some('-'))
                || text
                    .split(|c: char| c.is_whitespace() || c == '"' || c == '\'')
                    .any(|word| word == "-Xrs");
        }
        options
    }
}

/// Whether a name stands in a text after a fitting character.
fn stands(text: &str, name: &str, fits: impl Fn(Option<char>) -> bool) -> bool {
    text.match_indices(name).any(|(at, _)| fits(text.get(..at).and_then(|text| text.chars().next_back())))
}

/// Files with further options that a text names: `@file`, `-XX:Flags=file`, `-XX:VMOptionsFile=file`.
#[must_use]
pub fn files(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || c == '"' || c == '\'' || c == '\0');
    let named = |word: &'_ str| -> Option<usize> {
        let prefix =
            ["-XX:Flags=", "-XX:VMOptionsFile=", "@"].into_iter().find(|one| word.starts_with(one))?;
        Some(prefix.len())
    };
    let path = |word: &'_ str| -> Option<(usize, usize)> { Some((named(word)?, word.len())) };
    words
        .filter_map(|word| path(word).and_then(|(from, to)| word.get(from..to)))
        .filter(|path| !path.is_empty() && !path.starts_with('@'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Options {
        Options::of([text], true)
    }

    #[test]
    fn the_options_are_found_wherever_they_stand() {
        assert!(of("-XX:-AlwaysRecordEvolDependencies").forgets_dependencies);
        assert!(!of("-XX:+AlwaysRecordEvolDependencies").forgets_dependencies);
        let plain = Options { known: true, ..Options::default() };
        for text in ["", "-Xmx1g -cp a Main", "-XX:-DisableAttachMechanism", "-Xrsomething"] {
            assert_eq!(of(text), plain, "{text}");
        }
        let refusing = Options { refuses_attach: true, ..plain };
        for text in [
            "-XX:+DisableAttachMechanism",
            "-Xmx1g \"-XX:+DisableAttachMechanism\" Main",
            "-XX:-DisableAttachMechanism -XX:+DisableAttachMechanism",
            "-XX:+DisableAttachMechanism -XX:-DisableAttachMechanism",
            "DisableAttachMechanism",
        ] {
            assert_eq!(of(text), refusing, "{text}");
        }
        assert!(of("-XX:-EnableDynamicAgentLoading").refuses_agents);
        let allowing = of("-XX:+EnableDynamicAgentLoading");
        assert!(allowing.allows_agents && !allowing.refuses_agents);
        assert!(of("a -Xrs b").few_signals && of("'-XX:+ReduceSignalUsage'").few_signals);
        assert!(!of("-XX:-ReduceSignalUsage").few_signals);
        assert!(!Options::of([], false).known);
    }

    #[test]
    fn files_with_options_are_named() {
        let text = "-cp x @args \"@/my/args\" @@no -XX:Flags=f -XX:VMOptionsFile=/v @ Main";
        assert_eq!(files(text), ["args", "/my/args", "f", "/v"]);
        assert!(files("-Xmx1g a@b").is_empty());
    }
}
