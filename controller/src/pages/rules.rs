//! Rules that every request has to keep, before it is looked at further.

use hyper::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

/// Bytes of a request's body.
pub const MOST_BODY: usize = 64 << 10;
/// Names of this machine under which the server answers.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Reason why a request gets no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// The reason with the remedy, in one line.
    pub why: String,
}

/// A refusal.
pub fn refused(status: StatusCode, why: impl Into<String>) -> Refusal {
    Refusal { status, why: why.into() }
}

/// Checks the head of a request to the server at a port.
///
/// # Errors
/// When a rule is broken.
pub fn check(head: &Parts, port: u16) -> Result<(), Refusal> {
    let host = host(head).filter(|host| is_ours(host, port)).ok_or_else(|| {
        let text = format!(
            "this server is 127.0.0.1:{port} or localhost:{port}, and the request is to another host: open that address; a tunnel needs \
             the same port at both ends\n"
        );
        refused(StatusCode::MISDIRECTED_REQUEST, text)
    })?;
    if head.method == Method::GET {
        return Ok(());
    }
    if head.method != Method::POST {
        return Err(refused(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are answered\n"));
    }
    if !is_from_us(&head.headers, &host) {
        let text = "the request comes from another origin, or does not say its own: open the page itself\n";
        return Err(refused(StatusCode::FORBIDDEN, text));
    }
    let length = only(&head.headers, &CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > MOST_BODY as u64) {
        return Err(too_long());
    }
    Ok(())
}

/// The refusal of a body with too many bytes.
pub fn too_long() -> Refusal {
    let text = format!(
        "the request has more than {MOST_BODY} bytes: ask a shorter query, or use `spl query --from`\n"
    );
    refused(StatusCode::PAYLOAD_TOO_LARGE, text)
}

/// The host that a request names: one header, and the same in its target if that names one.
fn host(head: &Parts) -> Option<String> {
    let host = only(&head.headers, &HOST)?.to_ascii_lowercase();
    let target = head.uri.authority().map(|target| target.as_str().to_ascii_lowercase());
    target.is_none_or(|target| target == host).then_some(host)
}

fn is_ours(host: &str, port: u16) -> bool {
    NAMES.iter().any(|name| host == format!("{name}:{port}") || port == 80 && host == *name)
}

/// Whether a page of ours has sent a request. Forms of pages without referrer have the origin `null`, and then only the browser's
/// own word counts.
fn is_from_us(headers: &HeaderMap, host: &str) -> bool {
    let site = headers.get_all("sec-fetch-site").into_iter().map(|site| site.as_bytes()).collect::<Vec<_>>();
    let (says_so, is_silent) = (site[..] == [&b"same-origin"[..]], site.is_empty());
    let is_null = says_so && only(headers, &ORIGIN) == Some("null");
    let is_own = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://")) == Some(host);
    is_null || is_own && (says_so || is_silent)
}

/// The value of a header that stands once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).into_iter();
    all.next().filter(|_| all.next().is_none()).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    /// Status of a request with these headers; 200 when no rule is broken.
    fn status(method: &str, target: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        check(&head, 7000).map_or_else(|refusal| refusal.status.as_u16(), |()| 200)
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        for host in ["127.0.0.1:7000", "localhost:7000", "LocalHost:7000", "[::1]:7000"] {
            assert_eq!(status("GET", "/", &[("host", host)]), 200, "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "127.0.0.1:7001",
            "localhost.:7000",
            "evil.example:7000",
            "127.0.0.1:7000.evil.example",
            "0:7000",
        ] {
            assert_eq!(status("GET", "/", &[("host", host)]), 421, "{host}");
        }
        assert_eq!(status("GET", "/", &[]), 421);
        let twice = [("host", "127.0.0.1:7000"), ("host", "evil.example")];
        assert_eq!(status("GET", "/", &twice), 421);
        assert_eq!(status("GET", "http://evil.example/", &[("host", "127.0.0.1:7000")]), 421);
        assert_eq!(status("GET", "http://127.0.0.1:7000/", &[("host", "127.0.0.1:7000")]), 200);
    }

    #[test]
    fn a_post_comes_from_our_pages() {
        let host = ("host", "127.0.0.1:7000");
        let from = |headers: &[(&str, &str)]| status("POST", "/", &[&[host], headers].concat());
        let (ours, same) = (("origin", "http://127.0.0.1:7000"), ("sec-fetch-site", "same-origin"));
        assert_eq!((from(&[ours]), from(&[ours, same]), from(&[("origin", "null"), same])), (200, 200, 200));
        for wrong in [
            "http://127.0.0.1:7001",
            "https://127.0.0.1:7000",
            "http://localhost:7000",
            "http://evil.example",
            "null",
            "",
        ] {
            assert_eq!(from(&[("origin", wrong)]), 403, "{wrong}");
        }
        for site in ["same-site", "cross-site", "none", ""] {
            assert_eq!(from(&[ours, ("sec-fetch-site", site)]), 403, "{site}");
            assert_eq!(from(&[("origin", "null"), ("sec-fetch-site", site)]), 403, "{site}");
        }
        assert_eq!((from(&[]), from(&[same]), from(&[ours, ours])), (403, 403, 403));
        assert_eq!(from(&[ours, ("content-length", "65537")]), 413);
        for method in ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT"] {
            assert_eq!(status(method, "/", &[host, ours]), 405, "{method}");
        }
    }
}
