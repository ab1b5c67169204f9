//! Requests and answers (version 1 of the protocol, which JDK 11 to 25 know).

use std::fmt;

/// Most bytes of a command's name and of an argument (HotSpot, attachListener.hpp).
const LONGEST_NAME: usize = 16;
const LONGEST_ARGUMENT: usize = 1024;
/// Number of arguments of every request.
const ARGUMENTS: usize = 3;

/// A request that the protocol has no room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong(pub String);

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the JVM takes {LONGEST_ARGUMENT} bytes, and this is longer: {}", self.0)
    }
}

/// The bytes of a request.
///
/// # Errors
/// When a word is too long, or contains a zero byte; the JVM would read another request then.
pub fn request(command: &str, arguments: &[&str]) -> Result<Vec<u8>, TooLong> {
    let fits = |word: &str, most: usize| word.len() <= most && !word.contains('\0');
    let mut bytes = b"1\0".to_vec();
    if !fits(command, LONGEST_NAME) {
        return Err(TooLong(command.to_owned()));
    }
    if arguments.len() > ARGUMENTS {
        return Err(TooLong(arguments.join(" ")));
    }
    bytes.extend([command.as_bytes(), b"\0"].concat());
    for at in 0..ARGUMENTS {
        let argument = arguments.get(at).copied().unwrap_or_default();
        if !fits(argument, LONGEST_ARGUMENT) {
            return Err(TooLong(argument.to_owned()));
        }
        bytes.extend([argument.as_bytes(), b"\0"].concat());
    }
    Ok(bytes)
}

/// A JVM's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// 0 where the JVM understood the request. That says nothing about its outcome.
    pub code: i32,
    /// The rest.
    pub text: String,
}

impl Reply {
    /// Reads an answer; `None` where it does not begin with a number, as that of a JVM that ended meanwhile.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        Some(Self { code: first.trim().parse().ok()?, text: rest.to_owned() })
    }

    /// The answer of a library's entry to `load`.
    ///
    /// # Errors
    /// The JVM's words where the library did not come to answer. JDK 21 and later say so with the code 0.
    pub fn loaded(&self) -> Result<i32, String> {
        let answered =
            self.text.trim().strip_prefix("return code: ").and_then(|code| code.trim().parse().ok());
        match answered {
            Some(code) if self.code == 0 => Ok(code),
            _ if self.text.trim().is_empty() => Err(format!("it answered {}", self.code)),
            _ => Err(self.text.trim().replace('\n', "; ")),
        }
    }

    /// The values of a properties answer (java.util.Properties), as text.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<String> {
        let line = self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        Some(unescaped(line))
    }

    /// Number of compiled methods in an answer to `jcmd Compiler.codecache`.
    #[must_use]
    pub fn compiled_methods(&self) -> Option<u64> {
        let numbers = self.text.match_indices("nmethods=").filter_map(|(at, name)| {
            let rest = self.text.get(at + name.len()..)?;
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        });
        numbers.reduce(u64::saturating_add)
    }
}

/// A value as `Properties.store` writes it.
fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let found = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                plain.push(found.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_three_arguments_that_fit() {
        let bytes = request("load", &["/a.so", "true", "k=v"]).unwrap();
        assert_eq!(bytes, b"1\0load\0/a.so\0true\0k=v\0");
        assert_eq!(request("properties", &[]).unwrap(), b"1\0properties\0\0\0\0");
        let long = "x".repeat(1024);
        assert!(request("load", &[&long]).is_ok());
        for bad in [[&*long, "x"].concat(), "a\0b".to_owned()] {
            assert_eq!(request("load", &[&bad]), Err(TooLong(bad)));
        }
        assert!(request("a_command_of_17_b", &[]).is_err());
        assert!(request("load", &["", "", "", ""]).is_err());
    }

    #[test]
    fn only_the_librarys_own_answer_is_one() {
        let loaded = |text: &str| Reply::of(text.as_bytes()).unwrap().loaded();
        assert_eq!(loaded("0\nreturn code: 0\n"), Ok(0));
        assert_eq!(loaded("0\nreturn code: 102\n"), Ok(102));
        assert_eq!(loaded("0\nreturn code: -1\n"), Ok(-1));
        let failed = "0\n/a.so was not loaded.\n/a.so: cannot open shared object file\n";
        assert_eq!(
            loaded(failed),
            Err("/a.so was not loaded.; /a.so: cannot open shared object file".to_owned())
        );
        assert!(loaded("-1\nno such file").unwrap_err().contains("no such file"));
        assert!(loaded("-1\nreturn code: 0\n").is_err());
        assert!(loaded("0\nDynamic agent loading is not enabled.\n").is_err());
        assert_eq!(loaded("101\n"), Err("it answered 101".to_owned()));
        assert_eq!(Reply::of(b""), None);
        assert_eq!(Reply::of(b"what?\n"), None);
    }

    #[test]
    fn answers_are_read() {
        let reply = Reply::of(b"0\n#Mon\nuser.dir=/a\\:b\njava.class.path=x\\=1\\:y\\u00e4\\\\z\n").unwrap();
        assert_eq!(reply.property("user.dir").as_deref(), Some("/a:b"));
        assert_eq!(reply.property("java.class.path").as_deref(), Some("x=1:y\u{e4}\\z"));
        assert_eq!(reply.property("user"), None);
        let reply = Reply::of(b"0\n total_blobs=5 nmethods=12 adapters=3\n x nmethods=30 y").unwrap();
        assert_eq!(reply.compiled_methods(), Some(42));
        assert_eq!(Reply::of(b"0\nnothing").unwrap().compiled_methods(), None);
    }
}
