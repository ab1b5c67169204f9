//! Places in an arena: the memory in which a thread of a measured JVM counts, and from which the controller reads. All are in bytes
//! from its beginning, where the counters lie, 8 bytes each.

/// Size of an arena.
pub const BYTES: u64 = 1 << 24;
/// The table of arcs, which follows the stack. An entry has 16 bytes: the arc, 0 for none, and its count.
pub const ARCS: u64 = BYTES - (1 << 12) - ARC_BYTES * MOST_ARCS;
/// The stack of calls whose durations are under way. The counters end here.
pub const STACK: u64 = ARCS - (1 << 20);
/// Size of an entry of the table of arcs.
pub const ARC_BYTES: u64 = 16;
/// Number of its entries.
pub const MOST_ARCS: u64 = 1 << 16;
/// Calls whose arcs found no room.
pub const LOST_ARCS: u64 = BYTES - 24;
/// Bytes on the stack.
pub const STACK_TOP: u64 = BYTES - 32;
/// In the arena of all threads without their own: what a probe of durations costs in the time that it takes, picoseconds a call.
pub const COST_INSIDE: u64 = BYTES - 40;
/// There too: what it costs outside that time, for the calling method.
pub const COST_OUTSIDE: u64 = BYTES - 48;
/// There too: the JVM's clock when the last drill of durations began. Calls that began before are not of that drill.
pub const TIMES_BEGAN: u64 = BYTES - 56;
/// Of an arena of a thread: how many threads have begun to have it, and how many of them have ended, in one sum.
pub const OWNERS: u64 = BYTES - 64;
/// Workload sizes of the calls of the root whose arena it is: for each number of bits that a size has, the calls and the sum of their sizes, 8 bytes each. Calls
/// whose size is not known are not among them.
pub const SIZES: u64 = BYTES - (1 << 12);
/// Numbers of bits that there are: from 0, of the size 0, to 62.
pub const MOST_BITS: u64 = 63;
/// Bytes between two rings. They lie behind all arenas, one for each arena of a thread, then that of all other threads, and the agent's own.
pub const RING_BYTES: u64 = 1 << 23;
/// Words of a ring, 4 bytes each: [`RING_CHUNKS`] chunks.
pub const RING_WORDS: u64 = RING_CHUNKS << CHUNK_SHIFT;
/// Chunks of a ring.
pub const RING_CHUNKS: u64 = 256;
/// Binary logarithm of the words of a chunk.
pub const CHUNK_SHIFT: u32 = 12;
/// Places in a ring, in bytes: the number of words that were written.
pub const RING_HEAD: u64 = 0;
/// Depth of the thread's innermost traced activation.
pub const RING_DEPTH: u64 = 8;
/// Events that found no room since the last one that did.
pub const RING_LOST: u64 = 16;
/// The thread whose ring it is, and the thread that the words tell of.
pub const RING_OWNER: u64 = 32;
/// See [`RING_OWNER`].
pub const RING_TOLD: u64 = 40;
/// In the ring of all threads without their own: calls that were not traced.
pub const RING_UNTRACED: u64 = 48;
/// Events that found no room of threads that had the ring before.
pub const RING_ENDED: u64 = 56;
/// One byte: the lowest bits of the number of chunks that the controller has read.
pub const RING_FREED: u64 = 64;
/// One byte: chunks that the thread may use.
pub const RING_LIMIT: u64 = 65;
/// One byte: whether the thread waits for room.
pub const RING_WAITS: u64 = 66;
/// One byte, in the ring of all threads without their own: whether a thread has waited in vain, so that none waits any more.
pub const RING_GIVEN_UP: u64 = 67;
/// One byte: whether the thread tells only what runs within certain calls.
pub const RING_WITHIN: u64 = 68;
/// One byte: whether the thread is outside of these, and tells nothing.
pub const RING_MUTED: u64 = 69;
/// One byte: whether what the threads tell is in one order, so that chunks begin with a place in it.
pub const RING_ORDERED: u64 = 71;
/// Depth of the call within which the thread is, 4 bytes; 0 outside. The number of words for which there was no room then follows, 4 bytes.
pub const RING_INSIDE: u64 = 72;
/// Calls within which threads could have told what runs, 8 bytes.
pub const RING_CALLS: u64 = 80;
/// Such calls of the thread that owns the ring, 8 bytes.
pub const RING_TURN: u64 = 88;
/// The last place in the order of all threads that the words tell, 8 bytes.
pub const RING_TAKEN: u64 = 112;
/// One byte: whether words have the classes of receivers.
pub const RING_TYPED: u64 = 120;
/// Receivers of which words have told, [`MOST_RECEIVERS`] words of a method and the number of a class.
pub const RING_RECEIVERS: u64 = 2048;
/// See [`RING_RECEIVERS`].
pub const MOST_RECEIVERS: u64 = 256;
/// In the ring of all threads without their own: the last place that was taken, 8 bytes.
pub const RING_LAST_TAKEN: u64 = 128;
/// The words.
pub const RING_DATA: u64 = 4096;
/// Calls of the root whose arena it is.
pub const ROOT_CALLS: u64 = BYTES - 8;

/// The greatest sizes of the objects of each bin, in bytes; one more bin has all larger ones. With the JVM's usual header of an object they are that of
/// an object without fields, and 8, 16, 24, 32, 64, 128 and 384 bytes more.
pub const SIZE_LIMITS: [u64; 8] = [16, 24, 32, 40, 48, 80, 144, 400];
/// Number of bins.
pub const SIZE_BINS: usize = SIZE_LIMITS.len() + 1;
/// Words of a place that makes arrays: their number in each bin, and the sum of their bytes.
pub const ARRAY_WORDS: u32 = SIZE_BINS as u32 + 1;

/// The bin of a size in bytes.
#[must_use]
pub fn size_bin(bytes: u64) -> usize {
    SIZE_LIMITS.iter().position(|limit| bytes <= *limit).unwrap_or(SIZE_LIMITS.len())
}

/// Lowest bits of an arc, for the receiver's class: the lowest of the class's identity hash, 1 where these are 0; 0 without a
/// receiver.
pub const CLASS_BITS: u32 = 22;
/// Bits above these for the entered method, by its first counter, and as many again for the number of the call.
pub const METHOD_BITS: u32 = 21;

/// The words of a call whose receivers count, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Number of times that the receiver's class was another one than before.
    Changes,
    /// In the upper half the place in the arena of the count of the last receiver's class; in the lower half the class.
    Last,
    /// Count of the first receiver's class.
    First,
}

impl Received {
    /// Number of words.
    pub const WORDS: u32 = 3;
    /// Bit of a count in the table of arcs: the call's own word has the count.
    pub const OWN: u64 = 1 << 63;
    /// Bits of a class's identity hash next to its number.
    pub const HASH_BITS: u32 = 11;

    /// The lowest bits of an entry of the table, for the receiver's class, below the number of the call: the number that objects of the class
    /// have, with some bits of its identity hash; the hash, 1 where it is 0, if objects have no such number.
    #[must_use]
    pub fn class(number: Option<u32>, hash: u32) -> u64 {
        let hash = u64::from(hash.max(1));
        match number {
            Some(number) => (hash & ((1 << Self::HASH_BITS) - 1)) << 32 | u64::from(number),
            None => hash,
        }
    }
}

/// The words of a method whose durations are added up, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timed {
    /// Calls that ended.
    pub calls: u64,
    /// Ended calls that were not within another call of the method.
    pub outermost: u64,
    /// Nanoseconds of these with all that they called.
    pub total_ns: u64,
    /// Nanoseconds of all calls, less those of the calls that they made.
    pub own_ns: u64,
    /// Measured calls within the outermost ones, at any depth.
    pub nested: u64,
    /// Measured calls that its calls made themselves.
    pub called: u64,
    /// Threads in which a call is under way.
    pub active: u64,
    /// Calls without times: of threads without an arena, or too deep.
    pub untimed: u64,
}

impl Timed {
    /// Number of words.
    pub const WORDS: u32 = 8;

    /// From the words, by their place.
    #[must_use]
    pub fn of(word: impl Fn(u32) -> u64) -> Self {
        Self {
            calls: word(0),
            outermost: word(1),
            total_ns: word(2),
            own_ns: word(3),
            nested: word(4),
            called: word(5),
            active: word(6),
            untimed: word(7),
        }
    }
}

/// The parts of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc {
    /// Number of the call.
    pub call: u32,
    /// First counter of the entered method.
    pub entered: u32,
    /// Bits of the identity hash of the receiver's class, or a [`Received::class`]; 0 without one.
    pub class: u64,
}

impl Arc {
    /// From a word of the table.
    #[must_use]
    pub fn of(word: u64) -> Self {
        let bits = |from: u32, count: u32| (word >> from) as u32 & ((1 << count) - 1);
        Self {
            call: bits(CLASS_BITS + METHOD_BITS, METHOD_BITS),
            entered: bits(CLASS_BITS, METHOD_BITS),
            class: bits(0, CLASS_BITS).into(),
        }
    }

    /// From a word of the table where receivers count: no method is known, and the class is a [`Received::class`].
    #[must_use]
    pub fn of_receiver(word: u64) -> Self {
        Self { class: word & ((1 << (CLASS_BITS + METHOD_BITS)) - 1), entered: 0, ..Self::of(word) }
    }

    /// The bits of an identity hash that stand in an arc.
    #[must_use]
    pub fn class_of(hash: u32) -> u64 {
        (hash & ((1 << CLASS_BITS) - 1)).max(1).into()
    }
}
