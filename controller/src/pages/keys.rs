//! Secrets that let one browser in: a token that is used once, and the cookie and path for which it is exchanged.

use hyper::header::{COOKIE, HeaderMap};
use spl_session::files::random;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

/// Secrets of a server. They have no `Debug` form, so that they reach no log.
pub struct Keys {
    /// The token, until it is used.
    token: Mutex<Option<String>>,
    cookie: String,
    path: String,
    /// Name of the cookie. It has the port, so that two servers do not take each other's cookie away.
    name: String,
}

/// Result of giving a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The right one, now used up.
    In {
        /// Value of the header `Set-Cookie`.
        cookie: String,
        /// Path of the first page.
        path: String,
    },
    /// A token was exchanged before.
    Used,
    /// Another token.
    Wrong,
}

impl Keys {
    /// New secrets for a port, and the token.
    ///
    /// # Errors
    /// When the system gives no random bytes; one line of text.
    pub fn new(port: u16) -> Result<(Self, String), String> {
        let wrong = |why| format!("the system gives no random bytes for a token: {why}");
        let (token, cookie) = (hex(random::<32>().map_err(wrong)?), hex(random::<32>().map_err(wrong)?));
        let (path, name) = (hex(random::<16>().map_err(wrong)?), format!("spl-{port}"));
        Ok((Self { token: Mutex::new(Some(token.clone())), cookie, path, name }, token))
    }

    /// Exchanges a token.
    pub fn enter(&self, given: &[u8]) -> Entry {
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        match token.as_deref() {
            None => Entry::Used,
            Some(right) if are_same(right.as_bytes(), given) => {
                *token = None;
                let (name, value, path) = (&self.name, &self.cookie, &self.path);
                Entry::In {
                    cookie: format!("{name}={value}; Path=/{path}/; HttpOnly; SameSite=Strict"),
                    path: format!("/{path}/index.html"),
                }
            }
            Some(_) => Entry::Wrong,
        }
    }

    /// Name of the page of a request with the secret path and the cookie; `None` without one of them.
    pub fn page<'a>(&self, path: &'a str, headers: &HeaderMap) -> Option<&'a str> {
        let (secret, name) = path.strip_prefix('/')?.split_once('/')?;
        let cookies = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let mut values = cookies.flat_map(|line| line.split(';')).filter_map(|one| {
            let (name, value) = one.trim().split_once('=')?;
            (name == self.name).then_some(value)
        });
        let has_cookie = values.any(|value| are_same(self.cookie.as_bytes(), value.as_bytes()));
        (has_cookie & are_same(self.path.as_bytes(), secret.as_bytes())).then_some(name)
    }
}

/// Compares every byte, so that the time does not tell the number of right ones. The length is known.
fn are_same(right: &[u8], given: &[u8]) -> bool {
    let differences = right.iter().zip(given).fold(0, |all, (one, other)| black_box(all | (one ^ other)));
    right.len() == given.len() && differences == 0
}

fn hex<const N: usize>(bytes: [u8; N]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn opened(keys: &Keys, token: &str) -> (HeaderMap, String) {
        let Entry::In { cookie, path } = keys.enter(token.as_bytes()) else { panic!("the token is refused") };
        let (pair, _) = cookie.split_once(';').unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(&format!("other=1; {pair}")).unwrap());
        (headers, path)
    }

    #[test]
    fn a_token_opens_once() {
        let (keys, token) = Keys::new(7).unwrap();
        for wrong in ["", &token[1..], &format!("{token}0"), &token.to_uppercase(), &"0".repeat(64)] {
            assert_eq!(keys.enter(wrong.as_bytes()), Entry::Wrong, "{wrong}");
        }
        let (headers, path) = opened(&keys, &token);
        assert_eq!(keys.page(&path, &headers), Some("index.html"));
        assert_eq!(keys.enter(token.as_bytes()), Entry::Used);
    }

    #[test]
    fn a_page_needs_path_and_cookie() {
        let (keys, token) = Keys::new(7).unwrap();
        let (headers, path) = opened(&keys, &token);
        let (other, token) = Keys::new(7).unwrap();
        let (foreign, _) = opened(&other, &token);
        assert_eq!(keys.page(&path, &HeaderMap::new()), None);
        assert_eq!(keys.page(&path, &foreign), None);
        for path in ["/", "/index.html", "", "//index.html", &path[1..], &path[..20], &path.to_uppercase()] {
            assert_eq!(keys.page(path, &headers), None, "{path}");
        }
    }
}
