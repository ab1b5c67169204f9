//! Options that a Java launcher passes to its JVM (java(1)): from the command line, from files that it names,
//! and from the environment.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Variables of options: read by the JVM before the launcher's options, by the launcher before them, and by
/// the JVM after them.
pub const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// Options whose value is the next word.
const WITH_VALUE: [&str; 16] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--add-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--upgrade-module-path",
    "--limit-modules",
    "--describe-module",
    "-d",
    "--source",
    "--enable-native-access",
];
/// Words at which the program begins, apart from the name of a class.
const PROGRAM: [&str; 4] = ["-jar", "-m", "--module", "--"];
/// Bytes of the largest file that is read as options.
const MOST_BYTES: u64 = 1 << 20;

/// All options that the JVM of a command gets, in the order in which it reads them. `variable` is the
/// environment.
pub fn options(arguments: &[OsString], variable: impl Fn(&str) -> Option<OsString>) -> Vec<OsString> {
    let [tool, jdk, last] = VARIABLES.map(|name| words(variable(name).unwrap_or_default().as_bytes(), false));
    let mut options = tool;
    let from_command = jdk.into_iter().chain(arguments.iter().cloned());
    options.extend(before_program(from_command.flat_map(expanded)));
    options.extend(last);
    options
}

/// The options before the program's class or JAR.
fn before_program(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut options = Vec::new();
    let mut words = words;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if PROGRAM.contains(&&*text) || !text.starts_with('-') {
            break;
        }
        if WITH_VALUE.contains(&&*text) {
            words.next();
        } else {
            options.push(word);
        }
    }
    options
}

/// An argument, or the words of the file that it names (`@file`). The launcher itself reports an unreadable
/// file.
fn expanded(argument: OsString) -> Vec<OsString> {
    let Some(path) = argument.as_bytes().strip_prefix(b"@").filter(|path| !path.starts_with(b"@")) else {
        return vec![argument];
    };
    let path = OsStr::from_bytes(path);
    let is_small = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MOST_BYTES);
    if !is_small {
        return Vec::new();
    }
    fs::read(path).map(|text| words(&text, true)).unwrap_or_default()
}

/// Words between white space; quotes keep their content together. In a file a backslash within quotes takes
/// the next character literally, and `#` begins a comment.
fn words(text: &[u8], is_file: bool) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Vec<u8>>, None);
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', Some(_)) if is_file => {
                // A backslash at the end of a line joins it with the next one.
                match bytes.next() {
                    Some(b'\n') => while bytes.next_if(u8::is_ascii_whitespace).is_some() {},
                    escaped => word.get_or_insert_default().extend(escaped.map(unescaped)),
                }
            }
            (byte, Some(end)) if byte == end => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (b'#', None) if is_file && word.is_none() => {
                while bytes.next_if(|byte| *byte != b'\n').is_some() {}
            }
            (byte, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            (byte, _) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

fn unescaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'f' => 0xc,
        byte => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(options: Vec<OsString>) -> String {
        let texts = options.into_iter().map(|option| option.into_string().unwrap());
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn options_end_where_the_program_begins() {
        let check = |line: &str, expected: &str| {
            let arguments = line.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(shown(options(&arguments, |_| None)), expected, "{line}");
        };
        check("-Xmx1g -cp a:b -ea p.Main -Xmx2g", "-Xmx1g|-ea");
        check("-Xmx1g -jar a.jar -Xmx2g", "-Xmx1g");
        check("--add-opens a/b=c -Xss1m -m mod/p.Main", "-Xss1m");
        check("--add-opens=a/b=c -Xss1m Main", "--add-opens=a/b=c|-Xss1m");
        check("-Xint", "-Xint");
        check("@/nonexistent/options -Xint Main", "-Xint");
    }

    #[test]
    fn the_environment_and_files_have_options_too() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "# memory\n-Xmx1g -XX:A=1 # of both\n\"-Da=b c\\\\d\" '-De=\\\n   f'\n-cp x";
        fs::write(file.path(), text).unwrap();
        let variable = |name: &str| {
            Some(match name {
                "JAVA_TOOL_OPTIONS" => "-Xss1m '-Dx=y z'".into(),
                "JDK_JAVA_OPTIONS" => "-cp \"a b\" -Xint".into(),
                _ => OsString::from("-Xmx3g"),
            })
        };
        let mut argument = OsString::from("@");
        argument.push(file.path());
        let arguments = [argument, "-Xmx2g".into(), "Main".into(), "-Xmx4g".into()];
        assert_eq!(
            shown(options(&arguments, variable)),
            "-Xss1m|-Dx=y z|-Xint|-Xmx1g|-XX:A=1|-Da=b c\\d|-De=f|-Xmx2g|-Xmx3g"
        );
    }
}
