//! The effects: reading a process, the file that requests attaching, the signal, the socket.
//!
//! A descriptor of the process (pidfd_open(2)) is held from the beginning on. Facts that were read belong to that
//! process if it still exists afterwards, and only that process can get the signal.

use crate::approach::{Approach, Entry, Look, Refusal, Step};
use crate::findings::Surroundings;
use crate::options::{self, Options, VARIABLES};
use crate::perf;
use crate::process::{Mapped, Status, is_noexec, is_read_only, start_ticks, words};
use crate::protocol::{self, Reply};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, fchown, fstat, openat, openat2, statat, unlinkat,
};
use rustix::process::{Gid, Pid, PidfdFlags, Signal, Uid, pidfd_open, pidfd_send_signal};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Pause between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Longest pause in a JVM's answer. Loading a library may wait for a garbage collection.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Most bytes of an answer, and of a file that is read.
const MOST_BYTES: u64 = 4 << 20;
/// Folders for a copy of the library, the first ones first.
const PLACES: [&str; 4] = ["/dev/shm", "/tmp", "/var/tmp", "/run"];
/// The kernel's clock source.
const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
/// Name of the JVM's thread for requests.
const LISTENER: &str = "Attach Listener";
const SECOND: Duration = Duration::from_secs(1);
/// Clock ticks of a second, in which the kernel counts for programs (times(2)).
const TICKS: u64 = 100;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The process is left alone.
    Refused(Refusal),
    /// The system refused something.
    System(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::System(text) => f.write_str(text),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn wrong(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Problem {
    move |error| Problem::System(format!("{what}: {error}"))
}

/// A process, which may be a JVM.
#[derive(Debug)]
pub struct Target {
    pid: u32,
    process: OwnedFd,
    /// Its root folder, which may be another one than ours.
    root: OwnedFd,
    /// Its `/tmp`.
    tmp: OwnedFd,
    /// Its working folder.
    cwd: OwnedFd,
    own_uid: u32,
}

/// Facts that change no more once the JVM's library is there.
type Constant = (Mapped, Options, bool);

impl Target {
    /// A process by its number here.
    ///
    /// # Errors
    /// When there is none, or it may not be looked into.
    pub fn open(pid: u32) -> Result<Self, Problem> {
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Refusal::Ended)?;
        let process = pidfd_open(number, PidfdFlags::empty()).map_err(|error| match error {
            rustix::io::Errno::SRCH | rustix::io::Errno::INVAL => Problem::Refused(Refusal::Ended),
            error => wrong("the process cannot be watched")(error.into()),
        })?;
        let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = |name: &str| -> Result<OwnedFd, Problem> {
            openat(rustix::fs::CWD, format!("/proc/{pid}/{name}"), folder, Mode::empty()).map_err(|error| {
                if error == rustix::io::Errno::NOENT {
                    return Refusal::Ended.into();
                }
                let uid = fs::metadata(format!("/proc/{pid}")).map_or(0, |found| found.uid());
                if error == rustix::io::Errno::ACCESS && uid != rustix::process::geteuid().as_raw() {
                    return Refusal::OtherUser(uid).into();
                }
                wrong("the process may not be looked into")(error.into())
            })
        };
        let (root, cwd) = (open("root")?, open("cwd")?);
        let tmp = openat2(&root, "tmp", folder, Mode::empty(), inside());
        let tmp = tmp.map_err(|error| wrong("it has no usable /tmp")(error.into()))?;
        let target = Self { pid, process, root, tmp, cwd, own_uid: rustix::process::geteuid().as_raw() };
        target.is_alive().then_some(target).ok_or_else(|| Refusal::Ended.into())
    }

    /// The number of the process here.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the process has not ended.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        // A process that has ended and was waited for has no number any more.
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{}", self.process.as_raw_fd()));
        let pid =
            info.unwrap_or_default().lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok());
        pid == Some(i64::from(self.pid))
            && !matches!(self.status().map(|status| status.state), Some('Z' | 'X'))
    }

    /// The kernel's facts about the process.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        Status::of(&self.text("status")?)
    }

    /// The files that the process has mapped.
    #[must_use]
    pub fn mapped(&self) -> Mapped {
        Mapped::of(&self.text("maps").unwrap_or_default())
    }

    /// The words of its command line.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        words(self.text("cmdline").unwrap_or_default().as_bytes())
    }

    /// Whether the process has our root folder, so that a path means the same in both.
    #[must_use]
    pub fn shares_root(&self) -> bool {
        let theirs = fstat(&self.root).map(|found| (found.st_dev, found.st_ino));
        let ours = fs::metadata("/").map(|found| (found.dev(), found.ino()));
        let space = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/mnt")).ok();
        theirs.ok() == ours.ok() && space("self").is_some() && space("self") == space(&self.pid.to_string())
    }

    /// Our path of one of its files.
    #[must_use]
    pub fn seen_from_here(&self, path: &Path) -> PathBuf {
        if self.shares_root() {
            return path.to_owned();
        }
        inside_root(Path::new(&format!("/proc/{}/root", self.pid)), path)
    }

    /// Leads the JVM to listen. After this, questions are answered.
    ///
    /// # Errors
    /// When the process is left alone, or does not listen.
    pub fn approach(&self) -> Result<(), Problem> {
        let (begun, mut approach) = (Instant::now(), Approach::new(self.own_uid));
        let (mut request, mut constant) = (None, None);
        loop {
            let look =
                self.look(constant.as_ref().filter(|_| approach.has_signalled()), request.is_some())?;
            match approach.next(begun.elapsed(), &look.0) {
                Step::Wait => std::thread::sleep(LOOK_EVERY),
                Step::Request => request = self.request(&look.0.status)?,
                Step::Signal => {
                    let sent = pidfd_send_signal(&self.process, Signal::QUIT);
                    sent.map_err(|error| wrong("the signal could not be sent")(error.into()))?;
                }
                Step::Connect => return Ok(()),
                Step::Refuse(refusal) => {
                    if approach.has_signalled() && self.is_alive() {
                        request.iter_mut().for_each(Request::leave);
                    }
                    return Err(refusal.into());
                }
            }
            constant = Some(look.1);
        }
    }

    /// Asks a JVM that listens.
    ///
    /// # Errors
    /// When the question is too long, or the socket is not that of the JVM, or no answer comes.
    pub fn ask(&self, command: &str, arguments: &[&str]) -> Result<Reply, Problem> {
        let request =
            protocol::request(command, arguments).map_err(|why| Problem::System(why.to_string()))?;
        let inner = self.status().ok_or(Refusal::Ended)?.inner_pid;
        let path = format!("/proc/self/fd/{}/{}", self.tmp.as_raw_fd(), socket_name(inner));
        let mut stream = UnixStream::connect(path).map_err(wrong("its socket cannot be connected to"))?;
        let peer = rustix::net::sockopt::socket_peercred(&stream);
        let peer = peer.map_err(|error| wrong("its socket shows no process")(error.into()))?;
        if u32::try_from(peer.pid.as_raw_nonzero().get()).ok() != Some(self.pid) || !self.is_alive() {
            return Err(Refusal::SocketForeign.into());
        }
        let limits =
            stream.set_read_timeout(Some(LONGEST_PAUSE)).and(stream.set_write_timeout(Some(LONGEST_PAUSE)));
        limits.map_err(wrong("its socket"))?;
        stream.write_all(&request).map_err(wrong("it does not take the request"))?;
        let mut answer = Vec::new();
        let read = stream.take(MOST_BYTES).read_to_end(&mut answer);
        read.map_err(wrong("it does not answer"))?;
        Reply::of(&answer).ok_or_else(|| Problem::System("it does not answer as a HotSpot JVM".to_owned()))
    }

    /// The facts about the process now. The facts that change most often are read last.
    /// `is_ours` says whether the file that requests attaching is our own.
    fn look(&self, known: Option<&Constant>, is_ours: bool) -> Result<(Look, Constant), Problem> {
        let (mapped, options, is_launcher) = match known {
            Some(known) => known.clone(),
            None => self.constant(),
        };
        let stat = self.text("stat").ok_or(Refusal::Ended)?;
        let start_ticks = start_ticks(&stat).ok_or(Refusal::Ended)?;
        let status = self.status().ok_or(Refusal::Ended)?;
        let name = format!(".attach_pid{}", status.inner_pid);
        // HotSpot looks into its working folder first, and no further if the file is there.
        let trigger = match entry(self.cwd.as_fd(), &name, status.uid, FileType::RegularFile) {
            Entry::Absent => entry(self.tmp.as_fd(), &name, status.uid, FileType::RegularFile),
            found @ (Entry::Right | Entry::Wrong | Entry::Pending) => found,
        };
        let age = age(start_ticks);
        let trigger = if trigger == Entry::Right && !is_ours && self.is_newer(&name, age) {
            Entry::Pending
        } else {
            trigger
        };
        let look = Look {
            status,
            start_ticks,
            age,
            is_hotspot: mapped.hotspot,
            is_openj9: mapped.openj9,
            is_launcher,
            options,
            has_listener: self.has_listener(),
            socket: entry(self.tmp.as_fd(), &socket_name(status.inner_pid), status.uid, FileType::Socket),
            trigger,
        };
        if !self.is_alive() {
            return Err(Refusal::Ended.into());
        }
        Ok((look, (mapped, options, is_launcher)))
    }

    fn constant(&self) -> Constant {
        let mapped = self.mapped();
        let exe = fs::read_link(format!("/proc/{}/exe", self.pid)).unwrap_or_default();
        let is_launcher = exe.file_name().is_some_and(|name| name == "java");
        let options = self.options(&mapped, is_launcher);
        (mapped, options, is_launcher)
    }

    /// The JVM's options. They are known where a launcher started it and every file that it names was read, or
    /// where the JVM's own counters show them whole.
    fn options(&self, mapped: &Mapped, is_launcher: bool) -> Options {
        let mut texts = vec![self.command().join("\0")];
        let environment = self.text("environ");
        for entry in words(environment.as_deref().unwrap_or_default().as_bytes()) {
            if let Some((name, value)) = entry.split_once('=')
                && VARIABLES.contains(&name)
            {
                texts.push(value.to_owned());
            }
        }
        let mut all_read = environment.is_some();
        let named: Vec<String> =
            texts.iter().flat_map(|text| options::files(text)).map(str::to_owned).collect();
        for path in named {
            match self.file(Path::new(&path)) {
                Some(text) => texts.push(text),
                None => all_read = false,
            }
        }
        let shown = self.counters(mapped);
        let shown = shown.and_then(|shown| perf::texts(&shown, &["java.rt.vmArgs", "java.rt.vmFlags"]));
        let are_shown = shown.as_ref().is_some_and(|texts| texts.iter().all(|text| !text.cut));
        texts.extend(shown.into_iter().flatten().map(|text| text.text));
        let known = environment.is_some() && are_shown || is_launcher && all_read;
        Options::of(texts.iter().map(String::as_str), known)
    }

    /// A file that an option names, relative to the working folder.
    fn file(&self, path: &Path) -> Option<String> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = match path.strip_prefix("/") {
            Ok(inner) => openat2(&self.root, inner, flags, Mode::empty(), inside()),
            Err(_) if self.shares_root() => openat(&self.cwd, path, flags, Mode::empty()),
            // A link, or a way up, might lead into our own root folder.
            Err(_) => {
                let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
                openat2(&self.cwd, path, flags, Mode::empty(), inside)
            }
        };
        read(File::from(opened.ok()?))
    }

    /// The file of the JVM's own counters. One that the JVM has not mapped is an old one.
    fn counters(&self, mapped: &Mapped) -> Option<Vec<u8>> {
        let status = self.status()?;
        let folder = fs::read_dir(format!("/proc/self/fd/{}", self.tmp.as_raw_fd())).ok()?;
        for entry in folder.flatten() {
            if !entry.file_name().to_string_lossy().starts_with("hsperfdata_") {
                continue;
            }
            let path = Path::new(&entry.file_name()).join(status.inner_pid.to_string());
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let Ok(file) = openat2(&self.tmp, path, flags, Mode::empty(), inside) else { continue };
            let found = fstat(&file).ok()?;
            if mapped.counters != Some((found.st_dev, found.st_ino)) || found.st_uid != status.uid {
                continue;
            }
            let mut bytes = Vec::new();
            File::from(file).take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
            return Some(bytes);
        }
        None
    }

    /// Whether a file was written since the process, of this age, was started. One of an earlier process with its
    /// number is older, also in a `/tmp` that outlives a container.
    fn is_newer(&self, name: &str, age: Duration) -> bool {
        let written = [&self.cwd, &self.tmp].into_iter().find_map(|folder| {
            let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(found.st_mtime).ok()?))
        });
        // Times of files are counted in seconds here, so a second counts as the same time.
        let started = SystemTime::now().checked_sub(age.saturating_add(SECOND));
        written.zip(started).is_none_or(|(written, started)| written >= started)
    }

    fn has_listener(&self) -> bool {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let mut names = tasks.map(|task| fs::read_to_string(task.path().join("comm")).unwrap_or_default());
        names.any(|name| name.trim_end() == LISTENER)
    }

    /// Makes the file that requests attaching, owned by the JVM's user. It could also stand in the working folder,
    /// but the JVM makes its socket in `/tmp`: where no file can be made, no socket could be. `None` if somebody else has just
    /// made it.
    fn request(&self, status: &Status) -> Result<Option<Request>, Problem> {
        let name = format!(".attach_pid{}", status.inner_pid);
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = self.tmp.try_clone().map_err(wrong("no descriptor is left"))?;
        let made = match openat(&folder, &name, flags, Mode::RUSR | Mode::WUSR) {
            Err(rustix::io::Errno::EXIST) => return Ok(None),
            made => made.map_err(|error| {
                wrong("its /tmp takes no file, so the JVM could make no socket there")(error.into())
            })?,
        };
        let request = Request { folder, name, is_left: false };
        if self.own_uid != status.uid {
            let (uid, gid) = (Uid::from_raw(status.uid), Gid::from_raw(status.gid));
            fchown(&made, Some(uid), Some(gid))
                .map_err(|error| wrong("a file cannot be given to its user")(error.into()))?;
        }
        Ok(Some(request))
    }

    fn text(&self, name: &str) -> Option<String> {
        let bytes = fs::read(format!("/proc/{}/{name}", self.pid)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A path by which the JVM finds this library: its own one, else a copy that the JVM's user can read and
    /// execute.
    ///
    /// # Errors
    /// When no folder takes a copy.
    pub fn place(&self, library: &Path) -> Result<Placed, Problem> {
        let found = fs::metadata(library).map_err(wrong(library.display()))?;
        if self.sees(library, &found) {
            return Ok(Placed { path: library.to_owned(), copy: None });
        }
        let status = self.status().ok_or(Refusal::Ended)?;
        let mounts = self.text("mountinfo").unwrap_or_default();
        let mut last = "every folder is mounted noexec".to_owned();
        for folder in PLACES.map(Path::new) {
            if is_noexec(&mounts, folder) {
                continue;
            }
            match self.copy(library, folder, &status) {
                Ok(placed) => return Ok(placed),
                Err(error) => last = format!("{}: {error}", folder.display()),
            }
        }
        Err(Problem::System(format!("the agent's library cannot be put where the JVM sees it: {last}")))
    }

    /// Whether the JVM finds this file at the same path.
    fn sees(&self, file: &Path, found: &fs::Metadata) -> bool {
        let inner = file.strip_prefix("/").unwrap_or(file);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let theirs = openat2(&self.root, inner, flags, Mode::empty(), inside()).and_then(fstat);
        theirs.is_ok_and(|theirs| (theirs.st_dev, theirs.st_ino) == (found.dev(), found.ino()))
    }

    /// The facts about the process and its surroundings, for an operator.
    ///
    /// # Errors
    /// When the process has ended.
    pub fn surroundings(&self, library: &Path) -> Result<(Look, Surroundings), Problem> {
        let (look, (mapped, options, _)) = self.look(None, false)?;
        let mounts = self.text("mountinfo").unwrap_or_default();
        let is_place = |folder: &&Path| {
            !is_noexec(&mounts, folder)
                && !is_read_only(&mounts, folder)
                && self.seen_from_here(folder).is_dir()
        };
        let is_agent = |word: &String| {
            ["-javaagent:", "-agentpath:", "-agentlib:"].iter().any(|option| word.starts_with(option))
                && !word.contains("spl_agent")
        };
        let shown = self.counters(&mapped).unwrap_or_default();
        let release = perf::texts(&shown, &["java.property.java.vm.specification.version"]);
        let around = Surroundings {
            sees_library: fs::metadata(library).is_ok_and(|found| self.sees(library, &found)),
            place: PLACES.map(Path::new).into_iter().find(is_place).map(Path::to_path_buf),
            tmp_is_read_only: is_read_only(&mounts, Path::new("/tmp")),
            release: release.and_then(|texts| texts.first()?.text.parse().ok()),
            forgets_dependencies: options.forgets_dependencies,
            allows_agents: options.allows_agents,
            others: self.command().into_iter().filter(is_agent).collect(),
            compiled_for: compiled_for(&shown, look.age),
            clock: fs::read_to_string(CLOCK).unwrap_or_default().trim().to_owned(),
            agents: mapped.agents,
        };
        Ok((look, around))
    }

    /// Where its classes are, where its counters show the class path whole; `None` if it has another root folder, out of
    /// which its links might lead.
    #[must_use]
    pub fn class_places(&self) -> Option<ClassPlaces> {
        let names = ["java.property.java.class.path", "java.property.java.home"];
        let texts = perf::texts(&self.counters(&self.mapped())?, &names)?;
        let [class_path, home] = &texts[..] else { return None };
        let folder = fs::read_link(format!("/proc/{}/cwd", self.pid)).ok()?;
        let here = |entry: &str| folder.join(entry);
        let words = self.command();
        let modules = words.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some(("--module-path", path)) => Some(path.to_owned()),
            None if matches!(&**word, "-p" | "--module-path") => words.get(at + 1).cloned(),
            _ => None,
        });
        // An empty part of a path is the current folder. With modules, an empty class path has no entry.
        let parts = |path: &str| path.split(':').map(here).collect::<Vec<_>>();
        let has_none = class_path.text.is_empty() && modules.is_some();
        (!class_path.cut && !home.cut && self.shares_root()).then(|| ClassPlaces {
            class_path: if has_none { Vec::new() } else { parts(&class_path.text) },
            module_path: modules.as_deref().map(parts).unwrap_or_default(),
            home: here(&home.text),
        })
    }

    fn copy(&self, library: &Path, folder: &Path, status: &Status) -> io::Result<Placed> {
        let inner = folder.strip_prefix("/").unwrap_or(folder);
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat2(&self.root, inner, flags, Mode::empty(), inside())?;
        let here = format!("/proc/self/fd/{}", opened.as_raw_fd());
        let mut file = tempfile::Builder::new().prefix(".libspl_agent-").suffix(".so").tempfile_in(here)?;
        io::copy(&mut File::open(library)?, &mut file)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o500))?;
        if self.own_uid != status.uid {
            fchown(&file, Some(Uid::from_raw(status.uid)), Some(Gid::from_raw(status.gid)))?;
        }
        let name = file.path().file_name().unwrap_or_default().to_owned();
        Ok(Placed { path: folder.join(name), copy: Some((file.into_temp_path(), opened)) })
    }
}

/// A path under `root` that leads where `path` does for a process whose root folder that is. The kernel would follow an
/// absolute link from our own root folder.
fn inside_root(root: &Path, path: &Path) -> PathBuf {
    // As many as the kernel follows; after that there is no file.
    const LINKS: usize = 40;
    const NOWHERE: &str = "/dev/null/too many links";
    let mut found: Vec<OsString> = Vec::new();
    let names = |path: &Path| path.components().map(|one| one.as_os_str().to_owned()).collect::<Vec<_>>();
    let mut left = names(path);
    left.reverse();
    let mut links = 0;
    while let Some(name) = left.pop() {
        match name.to_str() {
            Some("/") => found.clear(),
            Some(".") => {}
            Some("..") => drop(found.pop()),
            _ => {
                found.push(name);
                let here = root.join(found.iter().collect::<PathBuf>());
                if let Ok(to) = fs::read_link(here) {
                    links += 1;
                    if links > LINKS {
                        return PathBuf::from(NOWHERE);
                    }
                    found.pop();
                    left.extend(names(&to).into_iter().rev());
                }
            }
        }
    }
    root.join(found.iter().collect::<PathBuf>())
}

/// Where the classes of a JVM are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassPlaces {
    /// The entries of its class path, whether they are there or not.
    pub class_path: Vec<PathBuf>,
    /// The entries of the module path on its command line.
    pub module_path: Vec<PathBuf>,
    /// The folder of its JDK.
    pub home: PathBuf,
}

/// Time that compilers have worked, by the counters of a JVM of this age.
fn compiled_for(counters: &[u8], age: Duration) -> Option<Duration> {
    // The JVM's owner may write into the file of its counters; no JVM has as many threads that compile.
    const THREADS: u32 = 1000;
    let numbers = perf::numbers(counters, &["java.ci.totalTime", "sun.os.hrt.frequency"])?;
    let [ticks, each_s] = numbers[..] else { return None };
    let worked = (ticks > 0 && each_s > 0).then(|| Duration::from_secs_f64(ticks as f64 / each_s as f64));
    worked.filter(|&worked| worked <= age.saturating_mul(THREADS))
}

/// A library that a JVM can load; a copy is removed when this is dropped.
#[derive(Debug)]
pub struct Placed {
    /// The path in the JVM.
    pub path: PathBuf,
    #[expect(dead_code, reason = "it is held until it is dropped")]
    copy: Option<(tempfile::TempPath, OwnedFd)>,
}

/// The file that requests attaching, removed when this is dropped.
#[derive(Debug)]
struct Request {
    folder: OwnedFd,
    name: String,
    is_left: bool,
}

impl Request {
    /// Lets the file stay: a JVM that comes to the signal later prints its threads if it is missing.
    fn leave(&mut self) {
        self.is_left = true;
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if !self.is_left {
            // An empty file that cannot be removed stays and does no harm.
            let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

fn inside() -> ResolveFlags {
    ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS
}

fn socket_name(inner_pid: u32) -> String {
    format!(".java_pid{inner_pid}")
}

/// A file of this user and kind in a folder; a link is wrong, and so is a file that cannot be looked at.
fn entry(folder: BorrowedFd<'_>, name: &str, uid: u32, kind: FileType) -> Entry {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) if FileType::from_raw_mode(found.st_mode) == kind && found.st_uid == uid => Entry::Right,
        Err(rustix::io::Errno::NOENT) => Entry::Absent,
        Ok(_) | Err(_) => Entry::Wrong,
    }
}

fn read(file: File) -> Option<String> {
    let mut bytes = Vec::new();
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn age(start_ticks: u64) -> Duration {
    let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
    let up: f64 = uptime.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
    let started = Duration::from_millis(start_ticks.saturating_mul(1000 / TICKS));
    Duration::from_secs_f64(up.max(0.0)).saturating_sub(started)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_in_another_root_folder_lead_into_it() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("opt/v2/lib")).unwrap();
        symlink("/opt/current", path("app")).unwrap();
        symlink("v2", path("opt/current")).unwrap();
        symlink("../../../../etc", path("opt/out")).unwrap();
        symlink("round", path("round")).unwrap();
        for (there, here) in [
            ("/app/lib/a.jar", "opt/v2/lib/a.jar"),
            ("/app/../b.jar", "opt/b.jar"),
            ("/opt/out/passwd", "etc/passwd"),
            ("/../../etc/passwd", "etc/passwd"),
            ("/no/such", "no/such"),
            ("/", ""),
        ] {
            assert_eq!(inside_root(root.path(), Path::new(there)), path(here), "{there}");
        }
        assert!(inside_root(root.path(), Path::new("/round/a")).starts_with("/dev/null"));
    }
}
