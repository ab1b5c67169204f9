//! Methods that no file on the command line has: they are looked up in the running JVM.

use crate::case::Case;
use crate::harness;
use crate::running::Running;
use std::fs;

const TEXT: &str = r#"package com.shop;

public final class Text {
    private static volatile boolean over;
    private static volatile long seen;

    private Text() {}

    static long encode(String value) {
        return value.length() * 3L;
    }

    static long encode(int value) {
        return value * 3L;
    }

    private static void awaitInput() {
        try {
            System.in.read();
        } catch (java.io.IOException closed) {
            System.err.println(closed.getMessage());
        }
        over = true;
    }

    public static void main(String[] args) {
        Thread reader = new Thread(Text::awaitInput);
        reader.setDaemon(true);
        reader.start();
        while (!over) {
            seen = encode("four") + encode(5);
        }
    }
}
"#;

const HIDDEN: (&str, &str, &str) = ("Text", TEXT, "hidden");

/// Loads the program from a folder that no class path names, after a line of input.
const LOADER: &str = r#"import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

public final class Loader {
    public static void main(String[] args) throws Exception {
        System.in.read();
        URL[] hidden = {new File("hidden").toURI().toURL()};
        URLClassLoader loader = new URLClassLoader(hidden, ClassLoader.getPlatformClassLoader());
        loader.loadClass("com.shop.Text").getMethod("main", String[].class).invoke(null, (Object) args);
    }
}
"#;

/// Compiles these programs, each into its folder.
fn compiled(case: &Case, programs: &[(&str, &str, &str)]) {
    for (name, text, into) in programs {
        let source = case.path(&format!("{name}.java"));
        fs::write(&source, text).unwrap();
        fs::create_dir(case.path(into)).unwrap();
        harness::javac([source], ["-sourcepath".as_ref(), &case.path("")], &case.path(into));
    }
}

/// The program of a script, whose command line spl does not see.
fn script(case: &Case, arguments: &[&str]) -> Running {
    let mut spl = case.spl();
    spl.args(["sh", "-c", "exec \"$@\"", "sh"]).arg(harness::java()).args(arguments);
    Running::start(spl, &case.path(""))
}

#[test]
fn behind_a_script_the_class_path_is_that_of_the_jvm() {
    let case = Case::measuring(&["com.shop.Text#encode(String)", "com.shop.**#encode(int)"]);
    compiled(&case, &[HIDDEN]);
    let mut run = script(&case, &["-cp", "none.jar:hidden", "com.shop.Text"]);
    run.awaits_agent();
    for method in ["com/shop/Text.encode(Ljava/lang/String;)J", "com/shop/Text.encode(I)J"] {
        case.awaits_measurements(method, 10);
    }
    let ended = run.ends();
    ended.assert_status(0);
    assert!(!ended.err.contains("measuring begins when"), "{}", ended.err);
    // The recorded run knows what the names mean.
    let eval = ["eval", "--config", "spl.ini", "--tasks", "spl.tasks", "--measurements", "out/measurements"];
    let output = case.spl_with(&eval).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_class_of_the_programs_own_loader_is_known_once_it_is_loaded() {
    let case = Case::measuring(&["com.shop.Text#encode(String)"]);
    compiled(&case, &[HIDDEN, ("Loader", LOADER, "plain")]);
    let mut run = script(&case, &["-cp", "plain", "Loader"]);
    run.awaits("com.shop.Text#encode(String) is not in pid ");
    run.line();
    run.awaits_agent();
    case.awaits_measurements("com/shop/Text.encode(Ljava/lang/String;)J", 10);
    run.ends().assert_status(0);
    assert!(case.measurements("com/shop/Text.encode(I)J").is_empty());
}

#[test]
fn a_name_that_no_jvm_has_is_an_error_at_its_end() {
    let case = Case::comparing("com.shop.Text#encode(String) < 1 s\norg.lost.Parser#next < 1 s\n");
    compiled(&case, &[HIDDEN]);
    let mut run = script(&case, &["-cp", "hidden", "com.shop.Text"]);
    run.awaits("org.lost.Parser#next is not in pid ");
    let ended = run.ends();
    ended.assert_status(2);
    ended.assert_said(&[
        "no such class",
        "org.lost.Parser#next < 1 s",
        "spl looked through",
        "its class path (1 entry)",
    ]);
    assert!(!case.path("out").join("result.eval").exists(), "nothing was measured");
}
