//! Classes in executable archives: their own, those of their libraries, and versions for releases of the JDK.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_classes::{Catalogue, Jdk};
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A class file without members. The name of the superclass tells it from others of its name.
fn class(name: &str, above: &str) -> Vec<u8> {
    let text = |text: &str| [&[1, 0, text.len() as u8][..], text.as_bytes()].concat();
    let pool = [vec![7, 0, 2], text(name), vec![7, 0, 4], text(above)].concat();
    [&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5][..], &pool, &[0, 0x21, 0, 1, 0, 3], &[0; 8]].concat()
}

fn jar(entries: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut jar = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        jar.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        jar.write_all(bytes).unwrap();
    }
    jar.finish().unwrap().into_inner()
}

fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The catalogue of a class path on a JDK of this release, whose own classes are not read.
fn catalogue(class_path: &[PathBuf], release: u32) -> Catalogue {
    let jdk = Jdk { home: "/nowhere".into(), release: Some(release) };
    Catalogue::open(class_path, Some(&jdk))
}

fn above(catalogue: &mut Catalogue, name: &str) -> Option<String> {
    catalogue.class(name)?.super_name.clone()
}

const BOTH: [CompressionMethod; 2] = [CompressionMethod::Stored, CompressionMethod::Deflated];

#[test]
fn classes_of_an_executable_archive_and_of_its_libraries_are_known_by_their_own_names() {
    for (classes, libraries) in [
        ("BOOT-INF/classes", "BOOT-INF/lib"),
        ("WEB-INF/classes", "WEB-INF/lib"),
        ("WEB-INF/classes", "WEB-INF/lib-provided"),
    ] {
        for method in BOTH {
            let folder = tempfile::tempdir().unwrap();
            let library = jar(
                &[("b/C.class", class("b/C", "Library")), ("a/B.class", class("a/B", "Library"))],
                method,
            );
            let own = format!("{classes}/a/B.class");
            let inside = format!("{libraries}/one.jar");
            let outer = jar(
                &[
                    (&own, class("a/B", "Own")),
                    (&inside, library),
                    ("l/Main.class", class("l/Main", "Launcher")),
                ],
                method,
            );
            let path = file(&folder, "app.jar", &outer);
            let mut found = catalogue(&[path], 17);
            assert_eq!(found.names(), ["a/B", "b/C", "l/Main"]);
            assert_eq!(above(&mut found, "a/B").as_deref(), Some("Own"), "its own classes come first");
            assert_eq!(above(&mut found, "b/C").as_deref(), Some("Library"));
            assert_eq!(above(&mut found, "l/Main").as_deref(), Some("Launcher"));
            let origin = found.origin("b/C").unwrap().to_str().unwrap().to_owned();
            assert!(origin.ends_with(&format!("app.jar!/{inside}")), "{origin}");
            assert_eq!(found.problems(), ["/nowhere is not a JDK: it has neither lib/modules nor jmods"]);
        }
    }
}

#[test]
fn an_unpacked_executable_archive_is_read_as_a_packed_one() {
    let folder = tempfile::tempdir().unwrap();
    for sub in ["BOOT-INF/classes/a", "BOOT-INF/lib"] {
        fs::create_dir_all(folder.path().join(sub)).unwrap();
    }
    file(&folder, "BOOT-INF/classes/a/B.class", &class("a/B", "Own"));
    let library = jar(&[("b/C.class", class("b/C", "Library"))], CompressionMethod::Stored);
    file(&folder, "BOOT-INF/lib/one.jar", &library);
    let mut found = catalogue(&[folder.path().to_owned()], 17);
    assert_eq!(above(&mut found, "a/B").as_deref(), Some("Own"));
    assert_eq!(above(&mut found, "b/C").as_deref(), Some("Library"));
}

#[test]
fn a_library_has_the_versions_of_the_jdk() {
    let manifest =
        |text: &str| ("META-INF/MANIFEST.MF", format!("Manifest-Version: 1.0\r\n{text}\r\n").into_bytes());
    let versions = [
        ("a/B.class", class("a/B", "Base")),
        ("META-INF/versions/11/a/B.class", class("a/B", "Eleven")),
        ("META-INF/versions/21/a/B.class", class("a/B", "TwentyOne")),
        ("META-INF/versions/21/a/New.class", class("a/New", "TwentyOne")),
    ];
    for method in BOTH {
        for (text, release, expected) in [
            ("Multi-Release: true\r\n", 8, "Base"),
            ("Multi-Release: true\r\n", 17, "Eleven"),
            ("multi-release: true\r\n", 21, "TwentyOne"),
            ("Multi-Release: true\r\n", 25, "TwentyOne"),
            ("Multi-Release: false\r\n", 25, "Base"),
            ("", 25, "Base"),
        ] {
            let entries = [&[manifest(text)][..], &versions].concat();
            let folder = tempfile::tempdir().unwrap();
            let alone = file(&folder, "lib.jar", &jar(&entries, method));
            let outer = jar(&[("BOOT-INF/lib/lib.jar", jar(&entries, method))], method);
            let nested = file(&folder, "app.jar", &outer);
            for path in [alone, nested] {
                let mut found = catalogue(std::slice::from_ref(&path), release);
                assert_eq!(
                    above(&mut found, "a/B").as_deref(),
                    Some(expected),
                    "{text:?} on {release}, {path:?}"
                );
                assert_eq!(found.class("a/New").is_some(), expected == "TwentyOne", "{text:?} on {release}");
            }
        }
    }
}

#[test]
fn a_manifest_adds_archives_that_have_libraries() {
    let folder = tempfile::tempdir().unwrap();
    let library = jar(&[("b/C.class", class("b/C", "Library"))], CompressionMethod::Deflated);
    file(&folder, "web.war", &jar(&[("WEB-INF/lib/one.jar", library)], CompressionMethod::Deflated));
    let manifest = b"Manifest-Version: 1.0\r\nClass-Path: web.war not-\r\n there.jar\r\n\r\n".to_vec();
    let first =
        file(&folder, "first.jar", &jar(&[("META-INF/MANIFEST.MF", manifest)], CompressionMethod::Stored));
    assert_eq!(catalogue(&[first], 17).names(), ["b/C"]);
}

#[test]
fn a_damaged_library_is_told_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let library = jar(&[("b/C.class", class("b/C", "Library"))], CompressionMethod::Stored);
    let entries = [("BOOT-INF/lib/bad.jar", b"not an archive".to_vec()), ("BOOT-INF/lib/good.jar", library)];
    let path = file(&folder, "app.jar", &jar(&entries, CompressionMethod::Stored));
    let found = catalogue(&[path], 17);
    assert_eq!(found.names(), ["b/C"]);
    let told = found.problems().iter().filter(|problem| problem.contains("app.jar!/BOOT-INF/lib/bad.jar: "));
    assert_eq!(told.count(), 1, "{:?}", found.problems());
}

#[test]
fn a_folder_that_cannot_be_read_hides_no_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("p")).unwrap();
    file(&folder, "p/A.class", &class("p/A", "java/lang/Object"));
    // Root reads a closed folder, but nobody a path of over 4,096 bytes.
    let name = "d".repeat(200);
    let chain: PathBuf = [&*name; 9].iter().collect();
    for part in ["p/one", "two", "three"] {
        fs::create_dir_all(folder.path().join(part).join(&chain)).unwrap();
    }
    fs::rename(folder.path().join("three"), folder.path().join("two").join(&chain).join("three")).unwrap();
    fs::rename(folder.path().join("two"), folder.path().join("p/one").join(&chain).join("two")).unwrap();
    let mut found = catalogue(&[folder.path().to_owned()], 17);
    assert!(found.class("p/A").is_some());
    let gaps = found.gaps();
    assert!(gaps.len() == 1 && gaps[0].contains("too long"), "{gaps:?}");
}
