//! Patterns that mean several methods: of packages, by annotation, and all that implement an interface.

use crate::case::Case;
use crate::harness;
use crate::running::Running;
use serde_json::Value;
use std::fs;

const SOURCE: &str = r#"package com.shop;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

public final class Shop {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Timed {}

    // Only the class file has it.
    @interface Marked {}

    interface Codec<T> {
        long encode(T value);
    }

    @Marked
    static final class Text implements Codec<String> {
        @Override
        public long encode(String value) {
            return value.length();
        }
    }

    static final class Number implements Codec<Integer> {
        @Override
        public long encode(Integer value) {
            return value * 3L;
        }
    }

    static final class Cart {
        static final class Item {
            @Timed
            long price(long of) {
                return of + 1;
            }

            @Marked
            long weight(long of) {
                return of + 2;
            }
        }
    }

    private static volatile boolean over;
    private static volatile long seen;

    private Shop() {}

    private static void awaitInput() {
        try {
            System.in.read();
        } catch (IOException closed) {
            System.err.println(closed.getMessage());
        }
        over = true;
    }

    public static void main(String[] args) {
        System.out.println("ready");
        Thread reader = new Thread(Shop::awaitInput);
        reader.setDaemon(true);
        reader.start();
        while (!over) {
            Codec<String> text = new Text();
            Cart.Item item = new Cart.Item();
            seen = text.encode("four") + new Number().encode(5) + item.price(6) + item.weight(7);
        }
        System.out.println("ended");
    }
}
"#;

fn program(tasks: &str) -> Case {
    let case = Case::measuring(&[tasks]);
    fs::write(case.path("Shop.java"), SOURCE).unwrap();
    harness::javac([case.path("Shop.java")], ["-sourcepath".as_ref(), &case.path("")], &case.path(""));
    case
}

/// The methods that a pattern means, as `spl methods` lists them without a JDK's classes.
fn meant(case: &Case, pattern: &str) -> Vec<String> {
    let mut spl = case.spl_with(&["methods", "--classpath", ".", "--json", pattern]);
    let output = spl.output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |one: &Value| one["method"].as_str().unwrap().replace("com/shop/Shop$", "");
    list["methods"].as_array().unwrap().iter().map(name).collect()
}

#[test]
fn implementers_and_annotated_methods_are_measured() {
    let case = program("com.shop.Shop.Codec#encode\n@Timed");
    let mut spl = case.spl();
    spl.arg(harness::java()).args(["-cp", ".", "com.shop.Shop"]);
    let mut run = Running::start(spl, &case.path(""));
    run.awaits_agent();
    for method in [
        "com/shop/Shop$Text.encode(Ljava/lang/String;)J",
        "com/shop/Shop$Number.encode(Ljava/lang/Integer;)J",
        "com/shop/Shop$Cart$Item.price(J)J",
    ] {
        case.awaits_measurements(method, 10);
    }
    run.ends();
    assert!(case.measurements("com/shop/Shop$Cart$Item.weight(J)J").is_empty());

    let encode = ["Number.encode(Ljava/lang/Integer;)J", "Text.encode(Ljava/lang/String;)J"];
    let check = |pattern: &str, expected: &[&str]| {
        let mut found = meant(&case, pattern);
        found.retain(|one| !one.contains("Object"));
        assert_eq!(found, expected, "{pattern}");
    };
    check("com.shop.Shop.Codec#encode", &encode);
    check("com.shop.**#encode", &encode);
    check("com.shop.Shop.*#encode", &encode);
    check("com.shop.*#encode", &[]);
    check("**.Item#*", &["Cart$Item.price(J)J", "Cart$Item.weight(J)J"]);
    check("com.shop.Shop$Cart$Item#w*", &["Cart$Item.weight(J)J"]);
    check("com.shop.Shop.Cart.Item#w*", &["Cart$Item.weight(J)J"]);
    check("@com.shop.Shop.Timed", &["Cart$Item.price(J)J"]);
    check("@Timed com.shop.Shop.Text#*", &[]);
    check("@Marked", &["Cart$Item.weight(J)J", encode[1]]);
    check("@Marked com.shop.Shop.Number#*", &[]);
}

#[test]
fn a_pattern_that_means_nothing_names_what_is_near() {
    let check = |tasks: &str, parts: &[&str]| {
        let case = program(tasks);
        let output = case.spl_with(&["check", "--classpath", ".", "spl.tasks"]).output().unwrap();
        let shown = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{shown}");
        parts.iter().for_each(|part| assert!(shown.contains(part), "{part} is not in\n{shown}"));
    };
    check("com.shpo.**#*", &["no such class", "did you mean `com.shop.**#*`?"]);
    check("com.shop.**#prise*", &["no such method", "did you mean `com.shop.**#price`?"]);
    check("@Timd com.shop.**#*", &["no method has this annotation", "`@com.shop.Shop.Timed`"]);
    check("com.shop.**#co*(int)", &["no such method"]);
}
