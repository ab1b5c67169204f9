//! Which methods go on to the metrics: rules in an order, of which the first that names a method ends its processing or lets it go on.

use spl_model::Pattern;

/// Rules that keep or skip methods. Without rules all are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    rules: Vec<(Rule, Pattern)>,
}

/// The meaning of a rule for the methods that it names, if no rule before it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The methods are kept.
    Include,
    /// The methods are skipped.
    Exclude,
}

impl Rule {
    /// Its option on the command line.
    #[must_use]
    pub fn option(self) -> &'static str {
        match self {
            Self::Include => "--include",
            Self::Exclude => "--exclude",
        }
    }
}

impl Filter {
    /// Reads rules, in their order.
    ///
    /// ```
    /// use spl_analysis::{Filter, Rule};
    /// let rules = [(Rule::Exclude, "com.shop.gen.**".to_owned()), (Rule::Include, "com.shop.**".to_owned())];
    /// let filter = Filter::parse(&rules).unwrap();
    /// assert!(filter.keeps("com/shop/Cart", "add", "()V"));
    /// assert!(!filter.keeps("com/shop/gen/Cart", "add", "()V"));
    /// assert!(!filter.keeps("org/other/Cart", "add", "()V"));
    /// ```
    ///
    /// # Errors
    /// The mistake in a pattern, with its option.
    pub fn parse(rules: &[(Rule, String)]) -> Result<Self, String> {
        let rule = |(rule, text): &(Rule, String)| match Pattern::parse(text) {
            Ok(pattern) => Ok((*rule, pattern)),
            Err(why) => Err(format!("{} {why}", rule.option())),
        };
        Ok(Self { rules: rules.iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// Whether it has no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a method is kept; its class is named with slashes. The first rule that names it decides. Of the methods that no rule names
    /// the opposite of the last rule holds: after `--include` they are skipped.
    #[must_use]
    pub fn keeps(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let names = |(_, pattern): &&(Rule, Pattern)| pattern.names(class, name, descriptor);
        match self.rules.iter().find(names) {
            Some((rule, _)) => *rule == Rule::Include,
            None => self.rules.last().is_none_or(|(rule, _)| *rule == Rule::Exclude),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Rule::{Exclude, Include};

    fn kept(rules: &[(Rule, &str)]) -> Vec<&'static str> {
        let rules: Vec<(Rule, String)> =
            rules.iter().map(|(rule, text)| (*rule, (*text).to_owned())).collect();
        let filter = Filter::parse(&rules).unwrap();
        assert_eq!(filter.is_empty(), rules.is_empty());
        let all = [("a/B", "f"), ("a/B", "g"), ("a/gen/C", "f"), ("z/Z", "f")];
        let names = ["a.B#f", "a.B#g", "a.gen.C#f", "z.Z#f"];
        let keeps = |(class, name): (&str, &str)| filter.keeps(class, name, "()V");
        names.into_iter().zip(all).filter(|(_, one)| keeps(*one)).map(|(name, _)| name).collect()
    }

    #[test]
    fn the_first_rule_that_names_a_method_decides() {
        assert_eq!(kept(&[]).len(), 4);
        assert_eq!(kept(&[(Include, "a.**")]), ["a.B#f", "a.B#g", "a.gen.C#f"]);
        assert_eq!(kept(&[(Exclude, "a.**")]), ["z.Z#f"]);
        // The same rules in both orders.
        assert_eq!(kept(&[(Exclude, "a.gen.**"), (Include, "a.**")]), ["a.B#f", "a.B#g"]);
        assert_eq!(
            kept(&[(Include, "a.**"), (Exclude, "a.gen.**")]),
            ["a.B#f", "a.B#g", "a.gen.C#f", "z.Z#f"]
        );
        assert_eq!(kept(&[(Include, "a.gen.**"), (Exclude, "a.**")]), ["a.gen.C#f", "z.Z#f"]);
        // A rule behind one that names all never decides.
        assert_eq!(kept(&[(Exclude, "**"), (Include, "a.B#f")]), Vec::<&str>::new());
        assert_eq!(kept(&[(Include, "a.B#f"), (Exclude, "**")]), ["a.B#f"]);
    }

    #[test]
    fn a_mistake_is_told_with_its_option() {
        let said = Filter::parse(&[(Exclude, "@a.B".to_owned())]).unwrap_err();
        assert!(said.starts_with("--exclude "), "{said}");
    }
}
