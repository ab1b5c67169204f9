//! Containers of classes: a folder, a JAR with its libraries, a module of a JDK (`.jmod`), or a JDK's runtime image.

use super::image::{Image, Location};
use super::nested::{self, Allowance, Archive};
use super::part::Part;
use super::regular;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Folders within folders; deeper ones are left out.
const MAX_DEPTH: usize = 100;
/// Bytes of an unpacked class above which it is not accepted as one.
const MAX_CLASS_BYTES: u64 = 1 << 27;
/// Bytes of a manifest above which it counts as damaged.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
const MANIFEST: &str = "META-INF/MANIFEST.MF";
/// Folder of a JAR with one folder for each release, whose classes replace others (JAR file specification,
/// multi-release JAR files).
const VERSIONS: &str = "META-INF/versions/";

/// An open container of classes.
#[derive(Debug)]
pub enum Container {
    /// Classes as files, and the folders among them that could not be read, each with the reason.
    Folder(Vec<String>),
    /// A JAR or a JDK's module.
    Archive(Box<Archive>),
    /// A JDK's runtime image.
    Image(Image),
}

/// Place of a class within its container.
#[derive(Clone, Debug)]
pub enum Spot {
    /// The class file.
    File(PathBuf),
    /// The number of the archive's entry.
    Entry(usize),
    /// The place in the image.
    Image(Location),
}

/// A class name, binary with slashes, and the place of its bytes.
pub type Named = (String, Spot);

/// A container with its classes.
pub type Opened = (Container, Vec<Named>);

/// Opens an entry of a class path, with its classes. In a multi-release JAR the classes for `release` count.
///
/// # Errors
/// When it does not exist, cannot be read, or is neither a folder nor an archive.
pub fn open(path: &Path, release: Option<u32>) -> io::Result<Opened> {
    if path.is_dir() {
        let (mut classes, mut unread) = (Vec::new(), Vec::new());
        list(path, "", MAX_DEPTH, &mut classes, &mut unread)?;
        // The classes of an unpacked executable archive.
        classes.iter_mut().for_each(|(class, _)| *class = nested::without_folder(class).to_owned());
        return Ok((Container::Folder(unread), classes));
    }
    let module = path.extension().is_some_and(|extension| extension == "jmod");
    let mut archive = Archive::open(Part::open(path)?)?;
    let versions = if module { None } else { release.filter(|_| is_multi_release(&mut archive.zip)) };
    let classes = entries(&archive.zip, if module { "classes/" } else { "" }, versions);
    Ok((Container::Archive(Box::new(archive)), classes))
}

/// Opens a runtime image.
///
/// # Errors
/// When it cannot be read, or is not a runtime image.
pub fn open_image(path: &Path) -> io::Result<(Container, Vec<Named>)> {
    let image = Image::open(path)?;
    let classes = image.classes().map(|(name, location)| (name, Spot::Image(location))).collect();
    Ok((Container::Image(image), classes))
}

impl Container {
    /// The libraries in an executable archive, each with its name in it. In one that is a multi-release JAR the
    /// classes for `release` count.
    pub fn libraries(
        &mut self,
        release: Option<u32>,
        allowance: &mut Allowance,
    ) -> Vec<(String, io::Result<Opened>)> {
        let Self::Archive(archive) = self else { return Vec::new() };
        let open = |mut archive: Archive| {
            let versions = release.filter(|_| is_multi_release(&mut archive.zip));
            let classes = entries(&archive.zip, "", versions);
            (Self::Archive(Box::new(archive)), classes)
        };
        let libraries = archive.libraries(allowance).into_iter();
        libraries.map(|(name, library)| (name, library.map(open))).collect()
    }

    /// Its parts that could not be read, each with the reason.
    pub fn unread(&self) -> &[String] {
        match self {
            Self::Folder(unread) => unread,
            Self::Archive(_) | Self::Image(_) => &[],
        }
    }

    /// The bytes of a class that lies here.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(&mut self, spot: &Spot) -> io::Result<Vec<u8>> {
        match (self, spot) {
            (_, Spot::File(path)) => regular::read(path, MAX_CLASS_BYTES),
            (Self::Archive(archive), Spot::Entry(index)) => {
                let mut bytes = Vec::new();
                archive.zip.by_index(*index)?.take(MAX_CLASS_BYTES).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            (Self::Image(image), Spot::Image(location)) => image.read(*location),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

/// The class files below a folder, and the folders in it that cannot be read. Links to folders are not followed, because
/// they may lead in a circle.
fn list(
    folder: &Path,
    package: &str,
    depth: usize,
    into: &mut Vec<Named>,
    unread: &mut Vec<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // Every class has a name in Unicode.
        let Some(name) = name.to_str() else { continue };
        if entry.file_type()?.is_dir() {
            let package = format!("{package}{name}/");
            if depth > 0
                && let Err(why) = list(&entry.path(), &package, depth - 1, into, unread)
            {
                unread.push(format!("{}: {why}", entry.path().display()));
            }
        } else if let Some(class) = class_name(name) {
            into.push((format!("{package}{class}"), Spot::File(entry.path())));
        }
    }
    Ok(())
}

/// The classes of an archive under `root`. With `release`, each class has the newest version that a JDK of
/// this release uses.
fn entries(archive: &ZipArchive<Part>, root: &str, release: Option<u32>) -> Vec<Named> {
    let mut classes = Vec::new();
    for index in 0..archive.len() {
        let Some(Ok(path)) = archive.name_for_index(index) else { continue };
        let Some(path) = path.strip_prefix(root) else { continue };
        let (version, path) = match path.strip_prefix(VERSIONS).and_then(|rest| rest.split_once('/')) {
            Some((number, path)) => (number.parse().unwrap_or(u32::MAX), path),
            None => (0, nested::without_folder(path)),
        };
        if let Some(class) = class_name(path)
            && version <= release.unwrap_or(0)
        {
            classes.push((version, class.to_owned(), Spot::Entry(index)));
        }
    }
    // The first class of a name counts.
    classes.sort_by_key(|(version, ..)| std::cmp::Reverse(*version));
    classes.into_iter().map(|(_, class, spot)| (class, spot)).collect()
}

/// The class in a file of this path; `None` for a file without a class whose methods could be measured.
fn class_name(path: &str) -> Option<&str> {
    let class = path.strip_suffix(".class")?;
    let simple = class.rsplit('/').next()?;
    (!matches!(simple, "" | "module-info" | "package-info")).then_some(class)
}

fn is_multi_release(archive: &mut ZipArchive<Part>) -> bool {
    let lines = manifest(archive);
    lines.iter().any(|(name, value)| name.eq_ignore_ascii_case("Multi-Release") && value.trim() == "true")
}

/// The JARs that a JAR's manifest adds to the class path, as written there: paths relative to the JAR's
/// folder.
///
/// # Errors
/// When the JAR cannot be read.
pub fn named_in_manifest(jar: &Path) -> io::Result<Vec<String>> {
    let lines = manifest(&mut ZipArchive::new(Part::open(jar)?)?);
    let paths = lines.into_iter().filter(|(name, _)| name.eq_ignore_ascii_case("Class-Path"));
    Ok(paths.flat_map(|(_, value)| value.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect())
}

/// The headers of the main section (JAR file specification): a line that begins with a blank continues the
/// one before.
fn manifest(archive: &mut ZipArchive<Part>) -> Vec<(String, String)> {
    let mut text = Vec::new();
    if let Ok(entry) = archive.by_name(MANIFEST) {
        // An unreadable manifest adds nothing.
        _ = entry.take(MAX_MANIFEST_BYTES).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n").replace("\n ", "");
    let main = text.lines().take_while(|line| !line.is_empty());
    main.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.into(), value.into())).collect()
}
