//! Selection of a command's JVMs that are measured: a script may start `java -version` first, a build tool
//! its forks.

use spl_model::glob;

/// Selection by the operator.
#[derive(Clone, Debug, Default)]
pub struct Which {
    /// Measure only JVMs with this main class or JAR; `*` stands for any characters.
    pub main: Option<String>,
    /// Measure each JVM that the command starts, one after the other, each with results of its own.
    pub each: bool,
}

impl Which {
    /// Reason why a JVM with this command line is not measured; `None` if it is.
    pub fn refusal(&self, command: &str) -> Option<String> {
        let pattern = self.main.as_deref()?;
        // Text from the JVM: the main class or the path of a JAR, then the arguments.
        let main = command.split_whitespace().next().unwrap_or_default();
        let file = main.rsplit('/').next().unwrap_or_default();
        if glob::matches(pattern, main) || glob::matches(pattern, file) {
            return None;
        }
        let what = if main.is_empty() {
            "it has no main class".to_owned()
        } else {
            format!("its main class is {main}")
        };
        Some(format!("{what}, and --main asks for {pattern}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_class_is_like_a_pattern() {
        let check = |command: &str, pattern: &str, expected: bool| {
            let which = Which { main: Some(pattern.to_owned()), ..Which::default() };
            assert_eq!(which.refusal(command).is_none(), expected, "{command} and {pattern}");
        };
        check("acme.Main --port 80", "acme.Main", true);
        check("acme.Main --port 80", "acme.*", true);
        check("acme.MainHelper", "acme.Main", false);
        check("/opt/app/service-1.2.jar serve", "service-*.jar", true);
        check("/opt/app/service-1.2.jar serve", "*service*", true);
        check("org.gradle.launcher.daemon.bootstrap.GradleDaemon 8", "*worker*", false);
        check("aXbXc", "a*b*c", true);
        check("ab", "ab*b", false);
        check("", "acme.Main", false);
        assert_eq!(Which::default().refusal(""), None);
    }
}
