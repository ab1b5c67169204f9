//! Options whose order counts: `--include` and `--exclude`.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use spl_analysis::Rule;

/// The rules, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct Skipping {
    /// Each rule with its pattern.
    pub rules: Vec<(Rule, String)>,
}

const OPTIONS: [(&str, Rule, &str); 2] = [
    (
        "include",
        Rule::Include,
        "Keep these methods, though an --exclude behind it names them; alone: only these. May be given several times.",
    ),
    (
        "exclude",
        Rule::Exclude,
        "Skip these methods, so that no metric sees their counts; of several such options the first that names a method decides.",
    ),
];

impl Args for Skipping {
    fn augment_args(command: Command) -> Command {
        OPTIONS.into_iter().fold(command, |command, (name, _, help)| {
            command.arg(Arg::new(name).long(name).value_name("PATTERN").action(ArgAction::Append).help(help))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Skipping {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut placed: Vec<(usize, (Rule, String))> = Vec::new();
        for (name, rule, _) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            placed.extend(places.zip(texts.map(|text| (rule, text.clone()))));
        }
        placed.sort_by_key(|(place, _)| *place);
        Ok(Self { rules: placed.into_iter().map(|(_, rule)| rule).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_keep_their_order() {
        let read = |arguments: &[&str]| {
            let command = Skipping::augment_args(Command::new("spl"));
            Skipping::from_arg_matches(&command.get_matches_from([&["spl"], arguments].concat()))
                .unwrap()
                .rules
        };
        let of = |rule, text: &str| (rule, text.to_owned());
        assert_eq!(
            read(&["--exclude", "a", "--include=b", "--exclude", "c"]),
            [of(Rule::Exclude, "a"), of(Rule::Include, "b"), of(Rule::Exclude, "c")]
        );
        assert_eq!(read(&[]), []);
    }
}
