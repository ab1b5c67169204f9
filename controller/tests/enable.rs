//! `spl enable` and `spl disable`, with units in a root folder of their own.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const LIBRARY: &str = "/usr/lib/spl/libspl_agent.so";
const UNIT: &str = "[Unit]\nDescription=A shop\n[Service]\nUser=shop\nEnvironment=LANG=C\nExecStart=/usr/bin/java -jar /srv/shop.jar\n";

/// The root folder of a system with a service.
struct System(TempDir);

impl System {
    fn new() -> Self {
        let system = Self(tempfile::tempdir().unwrap());
        system.write("/usr/lib/systemd/system/shop.service", UNIT);
        let library = system.at(LIBRARY);
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        let built = Path::new(env!("CARGO_BIN_EXE_spl")).with_file_name("libspl_agent.so");
        fs::copy(built, &library).unwrap();
        fs::set_permissions(&library, fs::Permissions::from_mode(0o644)).unwrap();
        system
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path.trim_start_matches('/'))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Status, and what was said.
    fn spl(&self, arguments: &[&str]) -> (i32, String) {
        let mut spl = Command::new(env!("CARGO_BIN_EXE_spl"));
        spl.arg(arguments[0]).arg("--root").arg(self.0.path()).args(&arguments[1..]);
        if arguments[0] == "enable" && !arguments.contains(&"--agent") {
            spl.args(["--agent", LIBRARY]);
        }
        let output = spl.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said)
    }

    /// All files and links with their contents, and folders.
    fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.0.path().to_owned()];
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let is_folder = fs::symlink_metadata(&path).unwrap().is_dir();
                found.insert(path.clone(), if is_folder { None } else { fs::read(&path).ok() });
                left.extend(is_folder.then_some(path));
            }
        }
        found
    }

    /// The command fails with these words in its one line, and changes nothing.
    fn refuses(&self, arguments: &[&str], words: &[&str]) {
        let before = self.all();
        let (status, said) = self.spl(arguments);
        assert_eq!(status, 2, "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{words:?}: {said}");
        assert!(self.all() == before, "{said}");
    }
}

#[test]
fn a_service_is_enabled_once_and_disabled_to_the_byte() {
    let system = System::new();
    // So that the folders above the unit's are there before.
    system.write("/etc/systemd/system/other.service", UNIT);
    let before = system.all();
    let (status, said) = system.spl(&["enable", "shop"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("systemctl restart shop.service") && said.contains("not tried"), "{said}");
    let file = system.at("/etc/systemd/system/shop.service.d/50-spl-agent.conf");
    let written = fs::read_to_string(&file).unwrap();
    assert!(
        written.contains("\nEnvironment=JAVA_TOOL_OPTIONS=-agentpath:/usr/lib/spl/libspl_agent.so="),
        "{written}"
    );
    let enabled = system.all();
    let (status, said) = system.spl(&["enable", "shop.service"]);
    assert!(status == 0 && said.contains("already"), "{said}");
    assert!(system.all() == enabled);
    system.refuses(&["enable", "shop", "--runtime"], &["enabled already", "spl disable"]);
    let (status, said) = system.spl(&["disable", "shop"]);
    assert_eq!(status, 0, "{said}");
    assert!(system.all() == before, "{said}");
    let (status, said) = system.spl(&["disable", "shop"]);
    assert!(status == 0 && said.contains("nothing to take back"), "{said}");
}

#[test]
fn what_others_have_put_into_the_folder_stays() {
    let system = System::new();
    system.write("/etc/systemd/system/shop.service.d/limits.conf", "[Service]\nLimitNOFILE=9999\n");
    let before = system.all();
    assert_eq!(system.spl(&["enable", "shop"]).0, 0);
    assert_eq!(system.spl(&["disable", "shop"]).0, 0);
    assert!(system.all() == before);
}

#[test]
fn systemd_takes_the_file() {
    let system = System::new();
    system.write("/usr/bin/java", "#!/bin/sh\n");
    fs::set_permissions(system.at("/usr/bin/java"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(system.spl(&["enable", "shop", "--runtime"]).0, 0);
    let mut verify = Command::new("systemd-analyze");
    verify
        .args(["verify", "--man=no", "--recursive-errors=no", "--root"])
        .arg(system.0.path())
        .arg("shop.service");
    match verify.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("50-spl-agent"), "{said}");
        }
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}"),
    }
}

#[test]
fn a_unit_that_has_options_keeps_them() {
    let system = System::new();
    let remedy = [
        "shop.service sets JAVA_TOOL_OPTIONS already",
        "by hand",
        "-agentpath:/usr/lib/spl/libspl_agent.so=",
    ];
    let dropin = "/run/systemd/system/service.d/all.conf";
    system.write(dropin, "[Service]\nEnvironment=A=b \"JAVA_TOOL_OPTIONS=-Xmx1g -Xss1m\"\n");
    system.refuses(&["enable", "shop"], &remedy);
    fs::remove_file(system.at(dropin)).unwrap();
    system.write("/etc/systemd/system.conf", "[Manager]\nDefaultEnvironment=JAVA_TOOL_OPTIONS=-Xmx1g\n");
    system.refuses(&["enable", "shop"], &remedy);
    fs::remove_file(system.at("/etc/systemd/system.conf")).unwrap();
    let with_file = |optional: &str| {
        UNIT.replace("Environment=LANG=C", &format!("EnvironmentFile={optional}/etc/default/shop"))
    };
    system.write("/usr/lib/systemd/system/shop.service", &with_file("-"));
    assert_eq!(system.spl(&["enable", "shop"]).0, 0, "the optional file is not there");
    assert_eq!(system.spl(&["disable", "shop"]).0, 0);
    system.write("/etc/default/shop", "A=b\nJAVA_TOOL_OPTIONS=-Xmx1g\n");
    system.refuses(&["enable", "shop"], &[&remedy[..], &["/etc/default/shop"]].concat());
    fs::remove_file(system.at("/etc/default/shop")).unwrap();
    system.write("/usr/lib/systemd/system/shop.service", &with_file(""));
    system.refuses(&["enable", "shop"], &["/etc/default/shop", "could set JAVA_TOOL_OPTIONS"]);
}

#[test]
fn units_that_are_not_there_are_named() {
    let system = System::new();
    system.refuses(&["enable", "shopp"], &["no unit shopp.service", "/etc/systemd/system", "spl client"]);
    system.refuses(&["enable", "shop.timer"], &["not a service"]);
    system.refuses(&["enable", "../shop"], &["not the name of a unit"]);
    fs::create_dir_all(system.at("/etc/systemd/system")).unwrap();
    symlink("/dev/null", system.at("/etc/systemd/system/masked.service")).unwrap();
    system.refuses(&["enable", "masked"], &["masked"]);
    symlink("/usr/lib/systemd/system/shop.service", system.at("/etc/systemd/system/store.service")).unwrap();
    system.refuses(&["enable", "store"], &["another name of shop.service"]);
    system.write("/usr/lib/systemd/system/till@.service", UNIT);
    assert_eq!(system.spl(&["enable", "till@1"]).0, 0);
    assert!(system.at("/etc/systemd/system/till@1.service.d").is_dir());
}

#[test]
fn a_library_that_no_jvm_of_the_service_would_load_is_refused() {
    let system = System::new();
    for (path, words) in [
        ("lib.so", "absolute path"),
        ("/usr/lib/a b.so", "cannot stand in a unit"),
        ("/usr/lib/none.so", "cannot be read"),
        ("/usr/lib/systemd/system/shop.service", "is not a library"),
    ] {
        system.refuses(&["enable", "shop", "--agent", path], &[words]);
    }
    fs::set_permissions(system.at(LIBRARY), fs::Permissions::from_mode(0o600)).unwrap();
    system.refuses(&["enable", "shop"], &["cannot be read by every user", "chmod o+r"]);
}

#[test]
fn the_library_is_copied_for_everybody() {
    let folder = tempfile::tempdir().unwrap();
    let copy =
        |to: &Path| Command::new(env!("CARGO_BIN_EXE_spl")).arg("copy-agent").arg(to).output().unwrap();
    for _ in 0..2 {
        assert!(copy(folder.path()).status.success());
    }
    let copied = folder.path().join("libspl_agent.so");
    let built = Path::new(env!("CARGO_BIN_EXE_spl")).with_file_name("libspl_agent.so");
    assert!(fs::read(&copied).unwrap() == fs::read(built).unwrap());
    assert_eq!(fs::metadata(copied).unwrap().permissions().mode() & 0o777, 0o644);
    let failed = copy(&folder.path().join("none"));
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(
        failed.status.code() == Some(2) && said.contains("takes files") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn folders_that_take_no_file_are_named() {
    let system = System::new();
    system.write("/etc/systemd", "in the way");
    system.refuses(&["enable", "shop"], &["cannot write", "shop.service.d"]);
}
