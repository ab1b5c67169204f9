//! A browser of `spl pages --serve`, which sends its requests byte by byte.

use crate::case::Case;
use crate::harness::DEADLINE;
use crate::running::Running;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

/// A server, and the secrets of the browser that it let in.
pub struct Site {
    /// The server.
    pub running: Running,
    /// Its port.
    pub port: u16,
    /// The token that it has printed.
    pub token: String,
    /// The cookie; empty before the exchange.
    pub cookie: String,
    /// Path of the folder of all pages, with its slash.
    pub folder: String,
}

/// Answer to a request.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Lines of the head, in small letters.
    pub head: String,
    /// Its body.
    pub body: String,
}

/// A connection to a port, whose waits have a deadline.
pub fn connected(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.set_write_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// The answer, up to the end of the connection.
pub fn answer(mut stream: &TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&bytes)),
    }
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok())?;
    Some(Answer { status, head: head.to_lowercase(), body: body.to_owned() })
}

/// The answer to these bytes; the server may end the connection before it has read all of them.
pub fn sent(port: u16, bytes: &[u8]) -> Option<Answer> {
    let mut stream = connected(port);
    let _ = stream.write_all(bytes);
    answer(&stream)
}

impl Site {
    /// A server that nobody has opened yet.
    pub fn begun(case: &Case, more: &[&str]) -> Self {
        let mut spl = case.spl_with(&[&["pages", "--serve"], more].concat());
        spl.env_remove("SPL_STORE");
        let mut running = Running::start(spl, &case.path(""));
        let line = running.awaits("http://127.0.0.1:");
        let (port, token) = line.strip_prefix("http://127.0.0.1:").unwrap().split_once("/#").unwrap();
        let (port, token) = (port.parse().unwrap(), token.to_owned());
        Self { running, port, token, cookie: String::new(), folder: String::new() }
    }

    /// A server that has let a browser in.
    pub fn opened(case: &Case, more: &[&str]) -> Self {
        let mut site = Self::begun(case, more);
        let entry = site.enter(&site.token);
        assert_eq!(entry.status, 200, "{entry:?}");
        let cookie = entry.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        site.cookie = cookie.split(';').next().unwrap().to_owned();
        site.folder = entry.body.strip_suffix("index.html").unwrap().to_owned();
        assert!(cookie.contains(&format!("; path={}; httponly; samesite=strict", site.folder)), "{cookie}");
        site
    }

    /// The answer to a token.
    pub fn enter(&self, token: &str) -> Answer {
        let (port, length) = (self.port, token.len());
        let head =
            format!("POST /enter HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}");
        sent(port, format!("{head}\r\nContent-Length: {length}\r\n\r\n{token}").as_bytes()).unwrap()
    }

    /// Bytes of a request of the browser; the target is one of the folder unless it begins with a slash.
    pub fn request(&self, method: &str, target: &str, headers: &str, body: &str) -> String {
        let folder = if target.starts_with('/') { "" } else { &self.folder };
        let (port, cookie) = (self.port, &self.cookie);
        format!(
            "{method} {folder}{target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n{headers}\r\n{body}"
        )
    }

    /// A page of the folder.
    pub fn get(&self, name: &str) -> Answer {
        sent(self.port, self.request("GET", name, "", "").as_bytes()).unwrap()
    }

    /// A query as the form sends it.
    pub fn form(&self, sql: &str, values: &str, form: &str) -> String {
        let escaped = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        let body = format!("sql={}&values={}&as={form}", escaped(sql), escaped(values));
        let headers = format!(
            "Origin: null\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            body.len()
        );
        self.request("POST", "query.html", &headers, &body)
    }

    /// The answer to a query.
    pub fn asks(&self, sql: &str, values: &str, form: &str) -> Answer {
        sent(self.port, self.form(sql, values, form).as_bytes()).unwrap()
    }

    /// Asserts that pages still come.
    #[track_caller]
    pub fn goes_on(&self) {
        let page = self.get("index.html");
        assert!(page.status == 200 && page.body.ends_with("</html>"), "{page:?}");
    }
}
