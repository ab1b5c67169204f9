//! `spl pages --serve`: who gets in, what attackers get, queries, and the end.

use crate::browser::{Site, answer, connected, sent};
use crate::case::Case;
use crate::storing::{done, measured};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// SQL that never ends by itself.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

fn stored() -> Case {
    let case = measured();
    done(&case, &["store", "add", "out", "--tag", "nightly"]);
    case
}

/// The part of a page that is about runs.
fn content(page: &str) -> &str {
    page.split("<main").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap()
}

#[test]
fn pages_are_those_of_an_export_and_new_runs_appear() {
    let case = stored();
    let site = Site::opened(&case, &["--tag", "nightly"]);
    done(&case, &["pages", "--export", "site"]);
    for name in ["index.html", "metrics.html", "run-1.html", "program-1.html"] {
        let page = site.get(name);
        let exported = fs::read_to_string(case.path("site").join(name)).unwrap();
        assert_eq!((page.status, content(&page.body)), (200, content(&exported)), "{name}");
        assert!(page.body.contains("<a href=\"query.html\">"), "{name}");
    }
    assert_eq!(site.get("").status, 200);
    // The same run with other contents, and gone.
    done(&case, &["store", "tag", "1", "--add", "fresh"]);
    assert!(site.get("index.html").body.contains("<span class=\"tag\">fresh</span>"));
    assert!(site.get("difference-1-1.html").status == 200 && site.get("difference-1-2.html").status == 404);
    done(&case, &["store", "tag", "1", "--remove", "nightly"]);
    let gone = site.get("run-1.html");
    assert!(gone.status == 404 && gone.body.contains("the run may have been removed"), "{gone:?}");
    fs::write(case.path("spl-store.db"), "damaged").unwrap();
    let damaged = site.get("index.html");
    assert!(damaged.status == 503 && damaged.body.contains("spl-store.db is not a store"), "{damaged:?}");
}

#[test]
fn a_browser_gets_in_once_and_nobody_without_its_cookie() {
    let case = stored();
    let site = Site::begun(&case, &[]);
    let door = sent(site.port, site.request("GET", "/", "", "").as_bytes()).unwrap();
    assert!(door.status == 200 && !door.body.contains("run") && !door.body.contains(&site.token), "{door:?}");
    for wrong in ["", "x", &site.token[1..], &format!("{}0", site.token)] {
        assert_eq!(site.enter(wrong).status, 403, "{wrong}");
    }
    let (port, token) = (site.port, &site.token);
    for origin in ["", "Origin: http://evil.example\r\n", "Origin: null\r\nSec-Fetch-Site: cross-site\r\n"] {
        let length = token.len();
        let text = format!(
            "POST /enter HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{origin}Content-Length: {length}\r\n\r\n{token}"
        );
        assert_eq!(sent(port, text.as_bytes()).unwrap().status, 403, "{origin}");
    }
    drop(site);
    let site = Site::opened(&case, &[]);
    let again = site.enter(&site.token);
    assert!(again.status == 403 && again.body.contains("it opens once"), "{again:?}");
    let page = site.get("run-1.html");
    for header in [
        "cache-control: no-store",
        "referrer-policy: no-referrer",
        "x-content-type-options: nosniff",
        "default-src 'none'; style-src 'sha256-",
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ] {
        assert!(page.head.contains(header), "{header}: {}", page.head);
    }
    assert!(!page.head.contains("access-control-") && !page.head.contains("unsafe-"), "{}", page.head);
    let (name, value) = site.cookie.split_once('=').unwrap();
    let host = format!("Host: 127.0.0.1:{}", site.port);
    for cookie in
        ["".to_owned(), format!("{name}=0"), format!("{name}={}", &value[1..]), format!("x={value}")]
    {
        for page in ["index.html", "query.html", "run-1.html", "", "../index.html"] {
            let text = format!("GET {}{page} HTTP/1.1\r\n{host}\r\nCookie: {cookie}\r\n\r\n", site.folder);
            let refused = sent(site.port, text.as_bytes()).unwrap();
            assert!(
                refused.status == 401 && refused.body.lines().count() == 1,
                "{cookie} {page}: {refused:?}"
            );
        }
    }
    // The cookie below another path.
    for path in ["/index.html", "/0/index.html", "/run-1.html", "//index.html", "/favicon.ico"] {
        assert_eq!(site.get(path).status, 401, "{path}");
    }
    site.goes_on();
}

/// Requests with what is wrong with each, and its status.
fn attacks(site: &Site) -> Vec<(&'static str, u16, String)> {
    let (port, cookie, folder) = (site.port, &site.cookie, &site.folder);
    let to =
        |host: &str| format!("GET {folder}index.html HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    let query = site.form("SELECT 1", "", "table");
    let ours = format!("Origin: http://127.0.0.1:{port}\r\n");
    let long = "x".repeat(70_000);
    let chunked =
        format!("{ours}Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n");
    let chunks = format!("{}0\r\n\r\n", format!("400\r\n{}\r\n", "x".repeat(1024)).repeat(70));
    vec![
        ("a name that points here", 421, to(&format!("evil.example:{port}"))),
        ("another port", 421, to("127.0.0.1:1")),
        ("no host", 421, format!("GET {folder}index.html HTTP/1.1\r\nCookie: {cookie}\r\n\r\n")),
        (
            "HTTP/1.0 without host",
            421,
            format!("GET {folder}index.html HTTP/1.0\r\nCookie: {cookie}\r\n\r\n"),
        ),
        ("two hosts", 421, to(&format!("127.0.0.1:{port}\r\nHost: evil.example"))),
        (
            "a target with a host",
            421,
            site.request("GET", "http://evil.example/", "", "").replace(folder, ""),
        ),
        ("another origin", 403, query.replace("Origin: null", "Origin: http://evil.example")),
        ("another port of this machine", 403, query.replace("same-origin", "same-site")),
        ("another site", 403, query.replace("same-origin", "cross-site")),
        ("no origin", 403, query.replace("Origin: null\r\n", "")),
        ("an opaque origin", 403, query.replace("Sec-Fetch-Site: same-origin\r\n", "")),
        ("no cookie", 401, query.replace("Cookie", "Biscuit")),
        ("a preflight", 405, site.request("OPTIONS", "query.html", "Origin: http://evil.example\r\n", "")),
        ("PUT", 405, site.request("PUT", "index.html", &ours, "")),
        ("DELETE", 405, site.request("DELETE", "run-1.html", &ours, "")),
        ("TRACE", 405, site.request("TRACE", "index.html", &ours, "")),
        ("POST to a page", 405, query.replace("query.html", "index.html")),
        ("a query that is no form", 415, query.replace("x-www-form-urlencoded", "json")),
        ("a form with another field", 400, query.replace("values=", "valves=")),
        ("a long head", 431, site.request("GET", "index.html", &format!("X: {long}\r\n"), "")),
        ("many headers", 431, site.request("GET", "index.html", &"X: y\r\n".repeat(500), "")),
        (
            "a long body",
            413,
            site.request("POST", "query.html", &format!("{ours}Content-Length: 70000\r\n"), &long),
        ),
        ("a long body in chunks", 413, site.request("POST", "query.html", &chunked, &chunks)),
        (
            "a long token",
            413,
            site.request("POST", "/enter", &format!("{ours}Content-Length: 70000\r\n"), &long),
        ),
        ("a way up", 404, site.request("GET", "../index.html", "", "")),
        ("an escaped way up", 404, site.request("GET", "%2e%2e/spl-store.db", "", "")),
        ("a file", 404, site.request("GET", "spl-store.db", "", "")),
        ("a saved query elsewhere", 404, site.request("GET", "query.html?saved=../x", "", "")),
        ("not HTTP", 400, "\u{16}\u{3}\u{1}\r\n\r\n".to_owned()),
        ("a length twice", 400, query.replace("Content-Length", "Content-Length: 1\r\nContent-Length")),
    ]
}

#[test]
fn requests_of_attackers_are_refused_and_the_server_goes_on() {
    let case = stored();
    let before = fs::read(case.path("spl-store.db")).unwrap();
    let site = Site::opened(&case, &[]);
    for (what, status, request) in attacks(&site) {
        let answer = sent(site.port, request.as_bytes()).unwrap_or_else(|| panic!("{what}: no answer"));
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        assert!(
            !answer.body.contains("run-1.html") && !answer.head.contains("access-control"),
            "{what}: {answer:?}"
        );
        site.goes_on();
    }
    // A second request behind the first is not read.
    let two = site.request("GET", "metrics.html", "", "") + &site.request("GET", "run-1.html", "", "");
    let answer = sent(site.port, two.as_bytes()).unwrap();
    assert!(answer.status == 200 && !answer.body.contains("HTTP/1.1"), "{answer:?}");
    assert!(before == fs::read(case.path("spl-store.db")).unwrap());
}

/// The text of a saved query, as the editor has it.
const DIFFERENCE: &str = include_str!("../../../store/src/queries/difference.sql");

/// Queries, the values of their parameters, and parts of the page that says what is wrong.
const MISTAKES: [(&str, &str, &[&str]); 16] = [
    (
        "SELECT text\nFORM verdict",
        "",
        &["line 2, column 6: near &quot;verdict&quot;", "FORM verdict\n     ^"],
    ),
    ("SELECT * FROM runs", "", &["no such table: runs", "latest, tag, value"]),
    ("SELECT ?1", "", &["has 1 parameters, and 0 values", "one for each"]),
    ("@nothing", "", &["no saved query &quot;nothing&quot;"]),
    ("@difference", "1\n99\napp", &["has no run 99"]),
    (DIFFERENCE, "1\n99\napp", &["has no run 99"]),
    ("</textarea><script>alert(1)</script>", "", &["&lt;/textarea&gt;&lt;script&gt;alert"]),
    ("SELECT \"<img src=x>\"", "", &["no such column: &quot;&lt;img src=x&gt;&quot;"]),
    ("DELETE FROM run", "", &["a query only reads"]),
    ("ATTACH '/tmp/x.db' AS x", "", &["a query only reads"]),
    ("PRAGMA query_only = 0", "", &["a query only reads"]),
    ("SELECT 1; DROP TABLE run", "", &["a query only reads"]),
    ("SELECT load_extension('x')", "", &["load_extension"]),
    ("SELECT zeroblob(1000000000)", "", &["longer than 1 MB"]),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "",
        &["more than 10000 rows"],
    ),
    ("", "", &["there is no query"]),
];

#[test]
fn the_editor_answers_as_queries_do() {
    let case = stored();
    fs::write(case.path("mine.sql"), "SELECT text FROM verdict WHERE result = ?1").unwrap();
    let before = fs::read(case.path("spl-store.db")).unwrap();
    let site = Site::opened(&case, &[]);
    let blank = site.get("query.html");
    for part in [
        "<textarea",
        "left_mean_ns",
        "query.html?saved=failed",
        "query.html?saved=mine",
        "All runs, the newest first.",
    ] {
        assert!(blank.body.contains(part), "{part}: {}", blank.body);
    }
    assert!(site.get("query.html?saved=runs").body.contains("FROM run\nORDER BY coalesce"));
    let sql = "SELECT text, ratio, 'é & \"<b>' AS odd, NULL AS none, left_calls\nFROM verdict ORDER BY kind";
    for (form, kind) in [("csv", "text/csv; charset=utf-8"), ("json", "application/json")] {
        for (sql, values) in
            [(sql, ""), ("@runs", ""), ("@mine", "holds"), ("SELECT ?2, ?1 AS a", "1.5\r\nx y\r\n")]
        {
            let mut words = vec!["query", "--as", form, sql];
            words.extend(values.lines());
            let file = site.asks(sql, values, form);
            assert_eq!((file.status, file.body.as_str()), (200, done(&case, &words).as_str()), "{sql}");
            assert!(file.head.contains(&format!("content-type: {kind}")), "{}", file.head);
            assert!(file.head.contains(&format!("attachment; filename=\"query.{form}\"")), "{}", file.head);
        }
    }
    let page = site.asks(sql, "", "table");
    let cells = [
        "<th scope=\"col\">text</th>",
        "<td>é &amp; &quot;&lt;b&gt;</td>",
        "<td>null</td>",
        "2 rows",
        "40</td>",
    ];
    for cell in cells {
        assert!(page.status == 200 && page.body.contains(cell), "{cell}: {}", page.body);
    }
    // Mistakes have place and remedy, and the query stays in the editor as text.
    for (sql, values, parts) in MISTAKES {
        for form in ["table", "csv"] {
            let page = site.asks(sql, values, form);
            assert_eq!(page.status, 400, "{sql}: {page:?}");
            for part in parts {
                assert!(page.body.contains(part), "{part}: {}", page.body);
            }
            assert!(!page.body.contains("<script>alert") && !page.body.contains("<img"), "{}", page.body);
        }
    }
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n";
    let page = site.asks(many, "", "table").body;
    assert!(
        page.contains("000 rows, of which the first 1")
            && page.contains(">1000</td>")
            && !page.contains(">1001</td>")
    );
    assert!(before == fs::read(case.path("spl-store.db")).unwrap());
}

#[test]
fn a_query_without_end_holds_up_neither_pages_nor_the_end() {
    let case = stored();
    let mut site = Site::opened(&case, &[]);
    let asking = |site: &Site| {
        let mut stream = connected(site.port);
        stream.write_all(site.form(ENDLESS, "", "table").as_bytes()).unwrap();
        stream
    };
    let begin = Instant::now();
    let queries = [asking(&site), asking(&site)];
    for name in ["index.html", "run-1.html", "query.html"] {
        assert_eq!(site.get(name).status, 200);
    }
    for query in &queries {
        query.set_nonblocking(true).unwrap();
        let early = query.peek(&mut [0]).map_err(|error| error.kind());
        assert_eq!(early, Err(ErrorKind::WouldBlock), "the query ended after {:?}", begin.elapsed());
        query.set_nonblocking(false).unwrap();
    }
    for query in &queries {
        let page = answer(query).unwrap();
        assert!(page.status == 400 && page.body.contains("longer than 5 s"), "{page:?}");
    }
    assert!(begin.elapsed() >= Duration::from_secs(5));
    // The end does not wait for queries, for requests that have begun, or for connections that say nothing.
    let (_query, silent) = (asking(&site), connected(site.port));
    let mut half = connected(site.port);
    half.write_all(b"POST /enter HTTP/1.1\r\nHost: ").unwrap();
    site.goes_on();
    let begin = Instant::now();
    site.running.signal("TERM");
    site.running.spl_ends_with(Some(0));
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    assert!(answer(&silent).is_none());
}

#[test]
fn an_interrupt_ends_the_server_with_success() {
    let case = stored();
    let mut site = Site::begun(&case, &[]);
    let taken = case.spl_with(&["pages", "--serve", "--port", &site.port.to_string()]).output().unwrap();
    let said = String::from_utf8(taken.stderr).unwrap();
    assert_eq!((taken.status.code(), taken.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains(&format!("port {} is taken", site.port)) && said.contains("--port"), "{said}");
    site.running.signal("INT");
    site.running.spl_ends_with(Some(0));
    for (arguments, part) in [
        (&["pages", "--serve", "--store", "nothing.db"][..], "there is no store nothing.db"),
        (&["pages", "--serve", "--export", "x"], "cannot be used with"),
        (&["pages", "--export", "x", "--port", "1"], "cannot be used with"),
        (&["pages", "--port", "1"], "--serve"),
        (&["pages"], "--export <DIR>"),
    ] {
        let output = case.spl_with(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(part), "{arguments:?}: {said}");
    }
    // The port alone: what was taken is free again.
    let again = Site::begun(&case, &["--port", &site.port.to_string()]);
    assert_eq!(again.port, site.port);
}

#[test]
fn slow_and_silent_connections_harm_nobody() {
    let case = stored();
    let site = Site::opened(&case, &[]);
    let begin = Instant::now();
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).unwrap();
    // Readers that take nothing of 8 MB each.
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8000) SELECT hex(zeroblob(500)) FROM n";
    let readers = (0..8).map(|_| {
        let mut stream = connected(site.port);
        stream.write_all(site.form(rows, "", "csv").as_bytes()).unwrap();
        stream
    });
    let readers: Vec<TcpStream> = readers.collect();
    // Requests that stay halves, of which the last is without its body.
    let mut halves: Vec<TcpStream> = (0..1000).map(|_| connected(site.port)).collect();
    for (at, half) in halves.iter_mut().enumerate() {
        // The server may have closed it for one that came later.
        let _ = half.write_all(&b"GET / HTTP/1.1\r\nHost: x"[..at % 20]);
    }
    let mut without = connected(site.port);
    let head = site.request(
        "POST",
        "query.html",
        "Origin: null\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 9\r\n",
        "sql",
    );
    let head =
        head.replace("Content-Length", "Content-Type: application/x-www-form-urlencoded\r\nContent-Length");
    without.write_all(head.as_bytes()).unwrap();
    let mut drip = connected(site.port);
    site.goes_on();
    assert_eq!(site.asks("SELECT 1", "", "csv").body, "1\n1\n");
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    // A byte now and then is not progress.
    let began = Instant::now();
    let text = site.request("GET", "index.html", "", "");
    drip.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let ended = text.bytes().any(|byte| {
        let waits = |error: io::Error| error.kind() == ErrorKind::WouldBlock;
        drip.write_all(&[byte]).is_err()
            || drip.read(&mut [0; 512]).map_or_else(|error| !waits(error), |_| true)
    });
    let took = began.elapsed();
    assert!(ended && took < Duration::from_secs(20), "{took:?}");
    let late = answer(&without).unwrap();
    assert_eq!(late.status, 408, "{late:?}");
    site.goes_on();
    drop(readers);
    site.goes_on();
}
