//! Counters of the JVM, in the memory that it shows to `jstat` and to `jdk.internal.perf.Perf`: metaspace in
//! use after the last garbage collection, classes loaded and unloaded, and the options of the command line.
//!
//! The classes of `java.lang.management` would say more, but they are several hundred that the program may
//! not use otherwise. `Perf` is a core class of the JDK that every program has.

use crate::java;
use crate::metaspace::{Most, Reading};
use jni::errors::Error;
use jni::objects::{JByteArray, JObject, JValue};
use jni::refs::Global;
use jni::{Env, jni_sig, jni_str};

/// The counters that the agent reads. A JVM with `-XX:-UsePerfData` keeps no counters.
#[derive(Debug)]
pub struct Counters {
    buffer: Global<JObject<'static>>,
    /// Offsets of the counters in the buffer.
    used: i32,
    held: i32,
    /// Bytes of the classes loaded so far, and of the classes unloaded so far.
    loaded: [i32; 2],
    unloaded: [i32; 2],
    little_endian: bool,
    /// The JVM's options.
    options: String,
}

const USED: &str = "sun.gc.metaspace.used";
const HELD: &str = "sun.gc.metaspace.capacity";
/// These counters leave out classes of the JDK's archive, which take no metaspace.
const LOADED: [&str; 2] = ["sun.cls.loadedBytes", "sun.cls.unloadedBytes"];
const UNLOADED: [&str; 2] = ["java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses"];
const OPTIONS: [&str; 2] = ["java.rt.vmFlags", "java.rt.vmArgs"];

impl Counters {
    /// Looks for the counters.
    pub fn find(env: &mut Env<'_>) -> Option<Self> {
        let found = attach(env);
        if env.exception_check() {
            env.exception_clear();
        }
        let (buffer, bytes) = found.ok()??;
        let data = Data::of(&bytes)?;
        let at = |name| i32::try_from(data.find(name)?.start).ok();
        let text = |name| Some(String::from_utf8_lossy(bytes.get(data.find(name)?)?).replace('\0', " "));
        Some(Self {
            buffer,
            used: at(USED)?,
            held: at(HELD)?,
            loaded: [at(LOADED[0])?, at(LOADED[1])?],
            unloaded: [at(UNLOADED[0])?, at(UNLOADED[1])?],
            little_endian: data.little_endian,
            options: OPTIONS.into_iter().filter_map(text).collect::<Vec<_>>().join(" "),
        })
    }

    /// The counters' values now.
    pub fn reading(&self, env: &mut Env<'_>) -> Option<Reading> {
        let mut value = |at: i32| {
            let value =
                env.call_method(&self.buffer, jni_str!("getLong"), jni_sig!("(I)J"), &[JValue::Int(at)]);
            let value = value.ok()?.j().ok()?;
            // The buffer reads big-endian numbers, like each new buffer.
            u64::try_from(if self.little_endian { value.swap_bytes() } else { value }).ok()
        };
        let unloaded = value(self.unloaded[0])?.saturating_add(value(self.unloaded[1])?);
        let loaded = value(self.loaded[0])?.saturating_sub(value(self.loaded[1])?);
        Some(Reading { used: value(self.used)?, held: value(self.held)?, loaded, unloaded })
    }

    /// The options of the command line, of files and of variables.
    pub fn options(&self) -> &str {
        &self.options
    }
}

/// A buffer of counters, and its bytes.
type Shown = (Global<JObject<'static>>, Vec<u8>);

/// The JVM's own counters as a buffer that stays valid, and their bytes now.
fn attach(env: &mut Env<'_>) -> Result<Option<Shown>, Error> {
    let Some(class) = java::boot_class(env, c"jdk/internal/perf/Perf") else { return Ok(None) };
    let perf =
        env.call_static_method(class, jni_str!("getPerf"), jni_sig!("()Ljdk/internal/perf/Perf;"), &[])?;
    let perf = perf.l()?;
    // Process 0 is the calling process.
    let (attach, own) = (jni_str!("attach"), JValue::Int(0));
    let buffer = match env.call_method(&perf, attach, jni_sig!("(I)Ljava/nio/ByteBuffer;"), &[own]) {
        Ok(buffer) => buffer,
        Err(_) => {
            // JDK 11 and 17 need the mode `r` as an argument.
            env.exception_clear();
            let mode = env.new_string("r")?;
            let signature = jni_sig!("(ILjava/lang/String;)Ljava/nio/ByteBuffer;");
            env.call_method(&perf, attach, signature, &[own, JValue::Object(&mode)])?
        }
    };
    let buffer = buffer.l()?;
    let length = env.call_method(&buffer, jni_str!("capacity"), jni_sig!("()I"), &[])?.i()?;
    let array: JByteArray<'_> = env.new_byte_array(usize::try_from(length).unwrap_or(0))?;
    let copy =
        env.call_method(&buffer, jni_str!("duplicate"), jni_sig!("()Ljava/nio/ByteBuffer;"), &[])?.l()?;
    let signature = jni_sig!("([B)Ljava/nio/ByteBuffer;");
    env.call_method(&copy, jni_str!("get"), signature, &[JValue::Object(&array)])?;
    let bytes = env.convert_byte_array(&array)?;
    Ok(Some((env.new_global_ref(&buffer)?, bytes)))
}

/// The memory of counters, version 2 (HotSpot, perfMemory.hpp): a prologue, then entries of a name and a
/// value.
struct Data<'a> {
    bytes: &'a [u8],
    little_endian: bool,
}

impl<'a> Data<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let [0xca, 0xfe, 0xc0, 0xc0, order, 2, ..] = bytes else { return None };
        Some(Self { bytes, little_endian: *order == 1 })
    }

    fn number(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let number = if self.little_endian { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) };
        usize::try_from(number).ok()
    }

    /// Offsets of the value of this name.
    fn find(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let (mut at, entries) = (self.number(24)?, self.number(28)?);
        for _ in 0..entries {
            let (length, name_at, vector) = (self.number(at)?, self.number(at + 4)?, self.number(at + 8)?);
            let data_at = self.number(at + 16)?;
            let found = self.bytes.get(at + name_at..)?;
            if found.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0)) {
                let start = at + data_at;
                let end = start + if vector == 0 { 8 } else { vector };
                return (end <= self.bytes.len()).then_some(start..end);
            }
            if length == 0 {
                return None;
            }
            at += length;
        }
        None
    }
}

/// The largest sizes that the options set; the last option of each name counts.
pub fn most_metaspace(options: &str) -> Most {
    Most {
        metaspace: size(options, "MaxMetaspaceSize="),
        class_space: size(options, "CompressedClassSpaceSize="),
    }
}

/// The value of the last option of this name, in bytes.
fn size(options: &str, name: &str) -> Option<u64> {
    let mut values = options.split_whitespace().filter_map(|option| {
        let value = option.trim_start_matches("-XX:").strip_prefix(name)?;
        let unit = match value.as_bytes().last()?.to_ascii_lowercase() {
            b'k' => 10,
            b'm' => 20,
            b'g' => 30,
            b't' => 40,
            _ => 0,
        };
        let digits = &value[..value.len() - usize::from(unit > 0)];
        let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok()?,
            None => digits.parse().ok()?,
        };
        number.checked_mul(1 << unit)
    });
    values.next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of counters with one number and one text.
    fn memory(little_endian: bool) -> Vec<u8> {
        let number = |n: i32| if little_endian { n.to_le_bytes() } else { n.to_be_bytes() };
        let entry = |name: &[u8; 8], vector: i32, value: &[u8]| {
            let head = [28 + value.len() as i32, 20, vector].map(number).concat();
            [&head[..], b"J\0\0\0", &number(28), name, value].concat()
        };
        let prologue = [&[0xca, 0xfe, 0xc0, 0xc0, u8::from(little_endian), 2, 0, 1][..], &[0; 16]].concat();
        let entries = [entry(b"a.long\0\0", 0, &[1, 2, 3, 4, 5, 6, 7, 8]), entry(b"a.text\0\0", 4, b"-Xx\0")];
        [prologue, number(32).to_vec(), number(2).to_vec(), entries.concat()].concat()
    }

    #[test]
    fn counters_are_found_by_their_names() {
        for little_endian in [false, true] {
            let bytes = memory(little_endian);
            let data = Data::of(&bytes).unwrap();
            let value = |name| data.find(name).map(|range| &bytes[range]);
            assert_eq!(value("a.long"), Some(&[1, 2, 3, 4, 5, 6, 7, 8][..]));
            assert_eq!(value("a.text"), Some(&b"-Xx\0"[..]));
            assert_eq!((value("a.lon"), value("a.longer"), value("")), (None, None, None));
            // A memory cut off anywhere, or with any byte changed, gives fewer counters and does no harm.
            for cut in 0..bytes.len() {
                if let Some(data) = Data::of(&bytes[..cut]) {
                    assert!(data.find("a.text").is_none());
                }
                let mut damaged = bytes.clone();
                damaged[cut] = damaged[cut].wrapping_add(0x7f);
                if let Some(data) = Data::of(&damaged) {
                    assert!(data.find("a.text").is_none_or(|range| range.end <= damaged.len()));
                }
            }
        }
        assert!(Data::of(b"\xca\xfe\xba\xbe\x01\x02\0\0").is_none());
    }

    #[test]
    fn the_last_option_counts() {
        let metaspace = |options| most_metaspace(options).metaspace;
        assert_eq!(metaspace("-Xmx1g -XX:MaxMetaspaceSize=24m -XX:+UseG1GC"), Some(24 << 20));
        assert_eq!(metaspace("-XX:MaxMetaspaceSize=24m -XX:MaxMetaspaceSize=100000"), Some(100_000));
        assert_eq!(metaspace("MaxMetaspaceSize=1G -ea"), Some(1 << 30));
        assert_eq!(metaspace("-XX:MaxMetaspaceSize=no -XX:MetaspaceSize=1m"), None);
        assert_eq!(metaspace("-XX:MaxMetaspaceSize=99999999999999999999t"), None);
        assert_eq!(most_metaspace("-XX:MaxMetaspaceSize=0x4000000").metaspace, Some(64 << 20));
        assert_eq!(most_metaspace("-XX:MaxMetaspaceSize=").metaspace, None);
        let both = most_metaspace("-XX:CompressedClassSpaceSize=32m -XX:MaxMetaspaceSize=1g");
        assert_eq!(both, Most { metaspace: Some(1 << 30), class_space: Some(32 << 20) });
    }
}
