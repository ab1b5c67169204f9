//! Requests and their answers.

use super::editor::{self, Sent};
use super::form::fields;
use super::keys::{Entry, Keys};
use super::reading::{Chosen, site};
use super::rules::{MOST_BODY, Refusal, check, refused, too_long};
use crate::cli::AnswerForm;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use spl_report::runs::{Outcome, Site, asked, door, needed, page, policy, refusal};
use spl_session::strangers::Place;
use spl_store::{MOST_TIME, Store, StoreError};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

/// Queries at a time, and pages that are read at a time.
const AT_A_TIME: [usize; 2] = [2, 4];
/// Time beyond that of a query after which nobody waits for it any more; its own end comes before.
const GRACE: Duration = Duration::from_secs(1);
/// Time for reading a page: a writer is waited for 10 s.
const READING: Duration = Duration::from_secs(11);
/// KiB of answers that readers have not taken yet; shorter answers do not count.
const MOST_WAITING_KIB: u32 = 256 << 10;
const SHORT_KIB: u32 = 1 << 10;

/// Contents of answers.
const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const CSV: &str = "text/csv; charset=utf-8";
const JSON: &str = "application/json";

/// Headers of all answers, besides the policy.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Pages of a store that are served.
pub struct Served {
    store: PathBuf,
    chosen: Chosen,
    keys: Keys,
    port: u16,
    queries: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// Answer to a request.
struct Answer {
    status: StatusCode,
    kind: &'static str,
    body: Bytes,
    extra: Option<(HeaderName, String)>,
}

impl Served {
    /// Pages of a store at a port, with its secrets.
    pub fn new(store: PathBuf, chosen: Chosen, keys: Keys, port: u16) -> Self {
        let [queries, readers] = AT_A_TIME.map(|most| Arc::new(Semaphore::new(most)));
        let waiting = Arc::new(Semaphore::new(MOST_WAITING_KIB as usize));
        Self { store, chosen, keys, port, queries, readers, waiting }
    }

    /// Answers a request, whose body has to arrive before a time.
    pub async fn answer(
        &self,
        request: Request<Incoming>,
        until: Instant,
        place: &Place,
    ) -> Response<Full<Bytes>> {
        let answer = self.found(request, until, place).await;
        response(answer.unwrap_or_else(|Refusal { status, why }| Answer::new(status, TEXT, why)))
    }

    async fn found(
        &self,
        request: Request<Incoming>,
        until: Instant,
        place: &Place,
    ) -> Result<Answer, Refusal> {
        let (head, body) = request.into_parts();
        check(&head, self.port)?;
        let path = head.uri.path();
        match (head.method == Method::POST, path) {
            (false, "/") => return Ok(Answer::page(door())),
            (true, "/enter") => return self.enter(&read(body, until).await?),
            _ => {}
        }
        let name = self.keys.page(path, &head.headers).ok_or_else(|| {
            let text =
                "this page needs the cookie of the browser that opened the address of `spl pages --serve`\n";
            refused(StatusCode::UNAUTHORIZED, text)
        })?;
        place.has_greeted();
        let answer = match (head.method == Method::POST, name) {
            (true, "query.html") => {
                let kind = head.headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
                if !kind.starts_with(b"application/x-www-form-urlencoded") {
                    let text = "a query is sent as a form (application/x-www-form-urlencoded)\n";
                    return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
                }
                let sent = fields(&read(body, until).await?).and_then(Sent::of).ok_or_else(|| {
                    refused(
                        StatusCode::BAD_REQUEST,
                        "the form has the fields sql, values and as (table, csv or json)\n",
                    )
                })?;
                self.query(sent).await
            }
            (true, _) => return Err(refused(StatusCode::METHOD_NOT_ALLOWED, "this page takes GET only\n")),
            (false, "query.html") => self.editor(head.uri.query()).await,
            (false, "") => self.page("index.html".to_owned()).await,
            (false, name) => self.page(name.to_owned()).await,
        };
        // A browser that is in gets pages with the way back.
        answer.or_else(|Refusal { status, why }| {
            let title = status.canonical_reason().unwrap_or("No page");
            Ok(Answer::new(status, HTML, refusal(&served(site()), title, &why)))
        })
    }

    fn enter(&self, token: &[u8]) -> Result<Answer, Refusal> {
        match self.keys.enter(token) {
            Entry::In { cookie, path } => {
                let extra = Some((header::SET_COOKIE, cookie));
                Ok(Answer { extra, ..Answer::new(StatusCode::OK, TEXT, path) })
            }
            Entry::Used => Err(refused(
                StatusCode::FORBIDDEN,
                "A browser has opened this address before, and it opens once: go on in that window, or start spl pages --serve again.\n",
            )),
            Entry::Wrong => Err(refused(
                StatusCode::FORBIDDEN,
                "This is not the address that spl pages --serve has printed: copy it as a whole, with all that stands behind its #.\n",
            )),
        }
    }

    async fn page(&self, name: String) -> Result<Answer, Refusal> {
        let (store, chosen) = (self.store.clone(), self.chosen.clone());
        let made = apart(&self.readers, READING, move || {
            let store = Store::read(&store)?;
            let mut site = served(chosen.lines(&store)?);
            let Some(runs) = needed(&site, &name) else { return Ok(None) };
            chosen.complete(&store, &mut site, &runs)?;
            Ok(page(&site, &name))
        });
        let missing =
            "There is no such page: the run may have been removed, or --last and --tag leave it out.";
        made.await?.map(Answer::page).ok_or_else(|| refused(StatusCode::NOT_FOUND, missing))
    }

    async fn editor(&self, query: Option<&str>) -> Result<Answer, Refusal> {
        let store = self.store.clone();
        let fields = fields(query.unwrap_or_default().as_bytes()).unwrap_or_default();
        let saved = fields.into_iter().find(|(name, _)| name == "saved").map(|(_, value)| value);
        let asking = apart(&self.readers, READING, move || editor::blank(&store, saved.as_deref())).await?;
        let status =
            if let Outcome::Fault { .. } = asking.outcome { StatusCode::NOT_FOUND } else { StatusCode::OK };
        Ok(Answer::new(status, HTML, asked(&served(site()), &asking)))
    }

    async fn query(&self, sent: Sent) -> Result<Answer, Refusal> {
        let (store, form) = (self.store.clone(), sent.form);
        let made = apart(&self.queries, MOST_TIME + GRACE, move || {
            Ok(match sent.answered(&store)? {
                editor::Result::File(text) => (StatusCode::OK, text),
                editor::Result::Page(asking) => {
                    let is_wrong = matches!(asking.outcome, Outcome::Fault { .. });
                    let status = if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK };
                    (status, asked(&served(site()), &asking))
                }
            })
        });
        let (status, text) = made.await?;
        let file = match form.filter(|_| status == StatusCode::OK) {
            Some(AnswerForm::Csv) => Some((CSV, "query.csv")),
            Some(AnswerForm::Json) => Some((JSON, "query.json")),
            Some(AnswerForm::Text) | None => None,
        };
        let body = self.held(text)?;
        Ok(Answer {
            status,
            kind: file.map_or(HTML, |(kind, _)| kind),
            body,
            extra: file
                .map(|(_, name)| (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))),
        })
    }

    /// A text whose memory counts until its reader has taken it.
    fn held(&self, text: String) -> Result<Bytes, Refusal> {
        let kib = u32::try_from(text.len() >> 10).unwrap_or(u32::MAX);
        if kib < SHORT_KIB {
            return Ok(text.into());
        }
        let room = Arc::clone(&self.waiting).try_acquire_many_owned(kib).map_err(|_| {
            let text =
                "Other answers wait for their readers and take the memory: try again when they are read.";
            refused(StatusCode::SERVICE_UNAVAILABLE, text)
        })?;
        Ok(Bytes::from_owner(Held { text, _room: room }))
    }
}

/// A text with its room.
struct Held {
    text: String,
    _room: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl Answer {
    fn new(status: StatusCode, kind: &'static str, text: String) -> Self {
        Self { status, kind, body: text.into(), extra: None }
    }

    fn page(text: String) -> Self {
        Self::new(StatusCode::OK, HTML, text)
    }
}

fn served(site: Site) -> Site {
    Site { is_served: true, ..site }
}

/// Work with the store in a thread of its own, a few at a time.
async fn apart<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    most: Duration,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Refusal> {
    let busy = |why: String| refused(StatusCode::SERVICE_UNAVAILABLE, why);
    let Ok(Ok(permit)) = timeout(most, Arc::clone(permits).acquire_owned()).await else {
        return Err(busy("Other requests keep the store busy: try again.".to_owned()));
    };
    let work = tokio::task::spawn_blocking(move || {
        // Work that nobody waits for any more counts until its end.
        let _permit = permit;
        work()
    });
    match timeout(most, work).await {
        Ok(Ok(made)) => made.map_err(|why| busy(format!("{why}."))),
        Ok(Err(_)) => Err(refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The page could not be made, which is a fault of spl.",
        )),
        Err(_) => {
            let seconds = most.as_secs();
            Err(busy(format!(
                "The store has not answered within {seconds} s, perhaps because another process writes to it: try again."
            )))
        }
    }
}

/// The body of a request.
async fn read(body: Incoming, until: Instant) -> Result<Bytes, Refusal> {
    match timeout_at(until, Limited::new(body, MOST_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(_)) => Err(refused(StatusCode::BAD_REQUEST, "the request ended before its body\n")),
        Err(_) => Err(refused(StatusCode::REQUEST_TIMEOUT, "the request did not arrive within 10 s\n")),
    }
}

fn response(answer: Answer) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    let fixed = HEADERS.map(|(name, value)| (name, value.to_owned()));
    let allow =
        (answer.status == StatusCode::METHOD_NOT_ALLOWED).then(|| (header::ALLOW, "GET, POST".to_owned()));
    let policy = (header::CONTENT_SECURITY_POLICY, policy());
    let kind = (header::CONTENT_TYPE, answer.kind.to_owned());
    for (name, value) in fixed.into_iter().chain([policy, kind]).chain(allow).chain(answer.extra) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    response
}
