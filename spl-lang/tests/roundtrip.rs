//! The printed text of every syntax tree is read as the same tree.

use proptest::prelude::*;
use proptest::sample::select;
use spl_lang::ast::{
    ByteSize, Duration, Formula, Instances, Interval, MethodPattern, MethodTerm, MetricName, MetricRelation,
    MetricSide, MetricTerm, Node, Number, Percent, Relation, Side, SizeUnit, Sizes, SpaceTerm, Statement,
    Statistic, Target, TimeUnit, Times, TypePattern,
};
use spl_lang::{RunMode, Sign, Span, parse_file};

/// Names that the file gives before the statement.
const NAMES: [&str; 3] = ["f", "grün", "h_2"];

type Tree<R> = Node<Formula<R>>;

fn node<T>(value: T) -> Node<T> {
    Node { value, span: Span::default() }
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![
        (1_u32..1000).prop_map(f64::from),
        0.001..10.0_f64,
        any::<f64>()
            .prop_map(f64::abs)
            .prop_filter("finite, and so in nanoseconds", |f| *f > 0.0 && *f < 1e290),
    ]
}

fn type_pattern() -> impl Strategy<Value = TypePattern> {
    let name =
        prop_oneof!["int|long|boolean|T|String", "[a-z]{1,3}(\\.[a-z]{1,3})?\\.[A-Z][a-z]{0,3}(\\$[A-Z])?"];
    (name, 0_usize..3).prop_map(|(name, dimensions)| TypePattern { name, dimensions })
}

fn pattern(glob: bool) -> impl Strategy<Value = MethodPattern> {
    let star = if glob { "\\*{0,2}" } else { "" };
    let class = format!("([a-z]{{1,3}}\\.){{0,2}}[A-Z][a-zč]{{0,3}}(\\$[A-Z])?{star}");
    let name = format!("[a-z]{{1,2}}[0-9]?{star}|<init>|<clinit>");
    let regex = |text: &str| prop::string::string_regex(text).expect("a regular expression");
    let (class, name) = (regex(&class), regex(&name));
    let parameters = prop::option::of(prop::collection::vec(type_pattern(), 0..3));
    let annotation = regex("([a-z]{1,3}\\.){0,2}[A-Z][a-z]{0,3}");
    let annotation = prop::option::of(annotation).prop_map(move |one| one.filter(|_| glob));
    (annotation, class, name, parameters, prop::option::of(type_pattern())).prop_map(
        |(annotation, class, name, parameters, result)| {
            // Java writes `new` for `<init>`; no method of Java has that name.
            let name = if name == "new" { "<init>".to_owned() } else { name };
            MethodPattern { annotation, class, name, parameters, result }
        },
    )
}

fn target(glob: bool) -> impl Strategy<Value = Target> {
    let exact = "[a-c]/[A-C](\\$[A-Z])?\\.([a-eč]{1,2}|<init>)\\((I|J|\\[D|Lx/Y;){0,3}\\)(V|\\[\\[I|Lx/Y;)";
    let exact = exact.prop_map(|text: String| MethodTerm::Exact(text.parse().expect("legal")));
    let pattern = pattern(glob).prop_map(MethodTerm::Pattern);
    let term = if glob {
        prop_oneof![exact, pattern].boxed()
    } else {
        prop_oneof![exact, pattern, select(&NAMES[..]).prop_map(|name| MethodTerm::Name(name.to_owned()))]
            .boxed()
    };
    let processor = prop::option::of("[a-z]{1,3}\\.[A-Z][a-z]{0,3}(\\$[A-Z])?".prop_map(node));
    (term, processor).prop_map(|(method, processor)| Target { method: node(method), processor })
}

fn times(factor: bool) -> impl Strategy<Value = Side> {
    let factor =
        if factor { prop::option::of(positive().prop_map(node)).boxed() } else { Just(None).boxed() };
    let statistic = prop_oneof![
        Just(Statistic::Mean),
        Just(Statistic::Median),
        select(&[90.0, 99.0, 99.9, 0.25][..]).prop_map(Statistic::Percentile),
    ];
    (factor, prop::option::of(statistic.prop_map(node)), target(false))
        .prop_map(|(factor, statistic, target)| Side::Times(Box::new(Times { factor, statistic, target })))
}

fn relation() -> impl Strategy<Value = Relation> {
    let bound = (positive(), select(&TimeUnit::ALL[..]))
        .prop_map(|(amount, unit)| Side::Bound(Duration { amount, unit }));
    let sides = prop_oneof![
        (times(true), times(true)).prop_map(|(left, right)| (left, None, right)),
        (times(false), (positive(), positive()), times(false)).prop_map(|(left, factors, right)| (
            left,
            Some(node(factors)),
            right
        )),
        (times(true), bound, any::<bool>()).prop_map(|(times, bound, swapped)| if swapped {
            (bound, None, times)
        } else {
            (times, None, bound)
        }),
    ];
    let within = prop::option::of(positive().prop_map(|percent| node(Percent(percent))));
    (sides, select(&Sign::ALL[..]), within).prop_map(|((left, factors, right), sign, within)| Relation {
        left: node(left),
        sign: node(sign),
        factors,
        right: node(right),
        within: within.filter(|_| sign == Sign::Equal),
    })
}

fn sizes() -> impl Strategy<Value = Sizes> {
    let unit = || select(&SizeUnit::ALL[..]);
    let interval = (0..1000_u64, unit(), any::<Option<bool>>()).prop_map(|(amount, unit, high)| {
        let low = ByteSize { amount, unit };
        let high = high.map(|coarse| match coarse {
            true => ByteSize { amount: 1 << 20, unit: SizeUnit::Gibi },
            false => ByteSize { amount: low.bytes() + 1, unit: SizeUnit::One },
        });
        Sizes::In(Interval { low, high })
    });
    prop_oneof![Just(Sizes::All), Just(Sizes::Some), interval]
}

/// Formulas without quantifiers around these parts.
fn connected<R: Clone + std::fmt::Debug + 'static>(leaf: BoxedStrategy<Tree<R>>) -> BoxedStrategy<Tree<R>> {
    leaf.prop_recursive(3, 12, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|one| Formula::Not(Box::new(one))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::And),
            prop::collection::vec(inner, 2..4).prop_map(Formula::Or),
            two.prop_map(|(premise, conclusion)| Formula::Implies(Box::new(premise), Box::new(conclusion))),
        ]
        .prop_map(node)
    })
    .boxed()
}

fn metric() -> impl Strategy<Value = MetricSide> {
    let key = prop::option::of(select(&["1", "3+", "5-8"][..]).prop_map(str::to_owned));
    let name = ("[a-z]{1,4}\\.[a-z][A-Z]{0,2}(\\.value)?|M[1-9]{1,2}", key)
        .prop_map(|(path, key)| MetricName { path, key });
    let space = prop_oneof![
        select(&["whole", "app", "lib", "f"][..]).prop_map(str::to_owned),
        "([a-z]{1,3}\\.){0,2}[A-Z][a-zč]{0,3}(\\$[A-Z])?(#[a-z]{1,3}\\*?|#<init>|\\.\\*\\*)?",
        "[a-c]/[A-C]\\.(f|<init>)\\((I|J|\\[D|Lx/Y;){0,3}\\)(V|\\[\\[I|Lx/Y;)",
    ];
    (prop::option::of(positive().prop_map(node)), name, space).prop_map(|(factor, name, space)| {
        let space = node(SpaceTerm::of(&space));
        MetricSide::Metric(Box::new(MetricTerm { factor, name: node(name), space }))
    })
}

fn metric_relation() -> impl Strategy<Value = MetricRelation> {
    let amount = prop_oneof![Just(0.0), positive()];
    let number = (amount, any::<bool>())
        .prop_map(|(amount, in_percent)| MetricSide::Number(Number { amount, in_percent }));
    let sides = prop_oneof![
        (metric(), metric()),
        (metric(), number, any::<bool>()).prop_map(|(metric, number, swapped)| if swapped {
            (number, metric)
        } else {
            (metric, number)
        }),
    ];
    let within = prop::option::of(positive().prop_map(|percent| node(Percent(percent))));
    (sides, select(&Sign::ALL[..]), within).prop_map(|((left, right), sign, within)| MetricRelation {
        left: node(left),
        sign: node(sign),
        right: node(right),
        within: within.filter(|_| sign == Sign::Equal),
    })
}

fn formula() -> impl Strategy<Value = Tree<Relation>> {
    let plain = connected(relation().prop_map(Formula::Relation).prop_map(node).boxed());
    let quantified = (sizes(), plain.clone())
        .prop_map(|(sizes, body)| node(Formula::For(node(sizes), Box::new(body))))
        .boxed();
    let of_instances =
        (select(&[Instances::All, Instances::Some][..]), prop_oneof![plain.clone(), quantified.clone()])
            .prop_map(|(instances, body)| node(Formula::ForInstances(node(instances), Box::new(body))))
            .boxed();
    connected(prop_oneof![3 => plain, 1 => quantified, 1 => of_instances].boxed())
}

fn statement() -> impl Strategy<Value = Statement> {
    let level = prop::option::of((0.001..99.9_f64).prop_map(|percent| node(Percent(percent))));
    let title = "[^\\p{Cc}]{0,12}[a-z\"\\\\]";
    let metrics = connected(metric_relation().prop_map(Formula::Relation).prop_map(node).boxed());
    prop_oneof![
        metric_relation().prop_map(|relation| Statement::Metrics {
            title: None,
            formula: node(Formula::Relation(relation))
        }),
        (title, metrics)
            .prop_map(|(title, formula)| Statement::Metrics { title: Some(node(title)), formula }),
        relation().prop_map(|relation| Statement::Compare(Box::new(relation))),
        target(false)
            .prop_map(|target| Statement::Let { name: node("new_name".into()), target: node(target) }),
        (title, formula(), level).prop_map(|(title, formula, level)| Statement::Assert {
            title: node(title),
            formula,
            level
        }),
    ]
}

proptest! {
    #[test]
    fn statements_are_read_as_they_are_printed(statement in statement()) {
        let names: String = NAMES.iter().map(|name| format!("let {name} = a/B.f()V\n")).collect();
        let text = format!("{names}{statement}  # comment\n");
        let file = parse_file(&text, RunMode::Comparison).map_err(|errors| {
            TestCaseError::fail(format!("{text}\n{}", errors[0].render("t", &text)))
        })?;
        prop_assert_eq!(&file.statements[NAMES.len()].value, &statement, "{}", text);
        prop_assert_eq!(file.statements[NAMES.len()].to_string(), statement.to_string());
    }

    #[test]
    fn measured_methods_are_read_as_they_are_printed(target in target(true)) {
        let text = target.to_string();
        let file = parse_file(&text, RunMode::Measurement).map_err(|errors| {
            TestCaseError::fail(format!("{text}\n{}", errors[0].render("t", &text)))
        })?;
        prop_assert_eq!(&file.statements[0].value, &Statement::Measure(target));
    }
}
