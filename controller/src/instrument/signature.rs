//! Signatures of JARs (JAR file specification, signed JAR files): a change of a class makes them invalid.

/// Folder of signatures and the manifest.
const FOLDER: &str = "META-INF/";
/// The manifest.
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// Whether an entry of this name belongs to a signature. The JVM ignores the case of letters in that folder,
/// and so does this.
pub fn is_of_signature(entry: &str) -> bool {
    let Some((folder, file)) = entry.split_at_checked(FOLDER.len()) else { return false };
    if !folder.eq_ignore_ascii_case(FOLDER) || file.contains('/') {
        return false;
    }
    let file = file.to_ascii_uppercase();
    file.starts_with("SIG-") || [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| file.ends_with(end))
}

/// Whether an entry is the manifest.
pub fn is_manifest(entry: &str) -> bool {
    entry.eq_ignore_ascii_case(MANIFEST)
}

/// The manifest without the digests of entries, and without the sections that had nothing else. All other
/// bytes stay the same: the section of the JAR itself, and those of sealed packages.
pub fn without_digests(manifest: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(manifest.len());
    for (number, section) in sections(manifest).into_iter().enumerate() {
        let attributes = attributes(section);
        let stays = |attribute: &&&[u8]| number == 0 || !is_digest(attribute);
        let left: Vec<_> = attributes.iter().filter(stays).collect();
        let has_lost = left.len() < attributes.len();
        let says_something =
            left.iter().any(|attribute| !is_named(attribute, |name| name == "name") && !is_blank(attribute));
        if !has_lost || says_something {
            left.into_iter().for_each(|attribute| kept.extend_from_slice(attribute));
        }
    }
    kept
}

/// The manifest in parts, each with the empty lines at its end.
fn sections(manifest: &[u8]) -> Vec<&[u8]> {
    let mut sections = Vec::new();
    let (mut from, mut at, mut has_ended) = (0, 0, false);
    for line in lines(manifest) {
        if !is_blank(line) && std::mem::take(&mut has_ended) {
            sections.push(&manifest[from..at]);
            from = at;
        }
        at += line.len();
        has_ended |= is_blank(line);
    }
    sections.push(&manifest[from..]);
    sections
}

/// The attributes of a section, each with its continuation lines.
fn attributes(section: &[u8]) -> Vec<&[u8]> {
    let mut attributes = Vec::new();
    let (mut from, mut at) = (0, 0);
    for line in lines(section) {
        if at > from && !line.starts_with(b" ") {
            attributes.push(&section[from..at]);
            from = at;
        }
        at += line.len();
    }
    attributes.push(&section[from..]);
    attributes
}

/// Lines with their ends: CR LF, LF or CR.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let length = end.map_or(rest.len(), |end| end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 });
        let (line, after) = rest.split_at(length);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
}

/// As `SHA-256-Digest`, or `SHA1-Digest-de` of a file in a language.
fn is_digest(attribute: &[u8]) -> bool {
    is_named(attribute, |name| name.ends_with("-digest") || name.contains("-digest-"))
}

fn is_named(attribute: &[u8], wanted: impl Fn(&str) -> bool) -> bool {
    let name = attribute.split(|byte| *byte == b':').next().unwrap_or_default();
    std::str::from_utf8(name).is_ok_and(|name| wanted(&name.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_known_by_their_names() {
        for entry in ["META-INF/A.SF", "META-INF/a.rsa", "meta-inf/X.DSA", "META-INF/X.EC", "META-INF/SIG-X"]
        {
            assert!(is_of_signature(entry), "{entry}");
        }
        for entry in [
            "META-INF/MANIFEST.MF",
            "META-INF/x/A.SF",
            "A.SF",
            "META-INF/services/a.EC",
            "META-I",
            "ü/META-INF/",
        ] {
            assert!(!is_of_signature(entry), "{entry}");
        }
    }

    #[test]
    fn what_is_no_digest_keeps_its_bytes() {
        let check = |manifest: &str, expected: &str| {
            assert_eq!(
                String::from_utf8(without_digests(manifest.as_bytes())).unwrap(),
                expected,
                "{manifest:?}"
            );
        };
        let main = "Manifest-Version: 1.0\r\nMulti-Release: true\r\nClass-Path: a.jar b\r\n .jar\r\n\r\n";
        let sealed = "Name: acme/\r\nSealed: true\r\n\r\n";
        check(main, main);
        check(&format!("{main}{sealed}"), &format!("{main}{sealed}"));
        let digest = "Name: acme/A very long name of a class that takes more tha\r\n n a line.class\r\nSHA-256-Digest: a\r\n bc=\r\n\r\n";
        check(&format!("{main}{digest}{sealed}{digest}"), &format!("{main}{sealed}"));
        check(&format!("{main}Name: a\nSHA1-Digest: b\nX: y\n\n"), &format!("{main}Name: a\nX: y\n\n"));
        check(&format!("{main}Name: a\rSHA1-Digest-de: b\r\r{sealed}"), &format!("{main}{sealed}"));
        // Without an empty line at the end.
        check("Manifest-Version: 1.0\n\nName: a\nSHA1-Digest: b", "Manifest-Version: 1.0\n\n");
        check("", "");
    }
}
