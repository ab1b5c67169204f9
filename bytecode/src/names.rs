//! Names shared by the rewritten code and the Java side of the probe.

use spl_classfile::class::Method;

/// The class whose static methods the inserted code calls. Binary name with slashes.
pub const PROBE_CLASS: &str = "java/lang/SplProbe";

/// The class whose static methods count edges.
pub const COUNTERS_CLASS: &str = "java/lang/SplCounters";
/// Counts the entry, and gives the address of the thread's counters of a method: `long counted(int id)`.
pub const COUNTED: (&str, &str) = ("counted", "(I)J");
/// The address of the thread's counters of a method where it counts now: `long here(int id)`.
pub const HERE: (&str, &str) = ("here", "(I)J");
/// Counts the entry of a method without other counters: `void count(int id)`.
pub const COUNT_ENTRY: (&str, &str) = ("count", "(I)V");
/// Adds 1 to one of the first counters: `void hitN(long address)`. The entry's counter is not among them.
pub const HITS: [&str; 8] = ["", "hit1", "hit2", "hit3", "hit4", "hit5", "hit6", "hit7"];
/// Descriptor of these.
pub const HIT_NEAR: &str = "(J)V";
/// Adds 1 to a counter: `void hit(long address, int number)`.
pub const HIT: (&str, &str) = ("hit", "(JI)V");

/// The class whose static methods let the calls of a root count apart.
pub const ROOTS_CLASS: &str = "java/lang/SplRoots";
/// Whether the thread can count apart for a root: `long begin(int root)`, the token of the others; 0 if it cannot.
pub const BEGIN_ROOT: (&str, &str) = ("begin", "(I)J");
/// Adds up the size of a root's call: `long length(long token, long sum, Object argument)`; -1 if it is not known.
pub const LENGTH_IN_ROOT: (&str, &str) = ("length", "(JJLjava/lang/Object;)J");
/// [`LENGTH_IN_ROOT`] for a number: `long length(long token, long sum, long number)`.
pub const NUMBER_IN_ROOT: (&str, &str) = ("length", "(JJJ)J");
/// Lets the thread count apart: `long enter(int root, long token, long size, int id)`; 0 if it does not. `id` is that of the method's
/// entry, which counts there, too; -1 leaves it.
pub const ENTER_ROOT: (&str, &str) = ("enter", "(IJJI)J");
/// Ends that: `void leave(long token)`.
pub const LEAVE_ROOT: (&str, &str) = ("leave", "(J)V");

/// The class whose static methods count what calls enter.
pub const ARCS_CLASS: &str = "java/lang/SplArcs";
/// The memory in which the thread counts: `long arena()`, which the others take.
pub const ARENA: (&str, &str) = ("arena", "()J");
/// That of a thread that has the counters with the number `id` at an address: `long arena(long counters, int id)`.
pub const ARENA_OF: (&str, &str) = ("arena", "(JI)J");
/// Tells which call follows: `void calling(long arena, int number, int member)`, with [`DISPATCHED`] in the number if its receiver chooses.
pub const CALLING: (&str, &str) = ("calling", "(JII)V");
/// Counts the class of a call's receiver: `void receiver(Object receiver, long arena, int number)`.
pub const RECEIVER: (&str, &str) = ("receiver", "(Ljava/lang/Object;JI)V");
/// Counts a call's receiver whose class is known: `void known(Object receiver, long arena, int number)`.
pub const KNOWN_RECEIVER: (&str, &str) = ("known", "(Ljava/lang/Object;JI)V");
/// Counts what entered a method: `long entered(long arena, int id, int member)`; gives what [`RETURNED`] takes.
pub const ENTERED: (&str, &str) = ("entered", "(JII)J");
/// Counts what entered a method of an object: `long entered(long arena, int id, int member, Object receiver)`.
pub const ENTERED_ON: (&str, &str) = ("entered", "(JIILjava/lang/Object;)J");
/// Undoes what the method's calls have told: `void returned(long arena, long before)`.
pub const RETURNED: (&str, &str) = ("returned", "(JJ)V");
/// Bit of a call's number: its receiver chooses the method.
pub const DISPATCHED: i32 = 1 << 30;

/// An array was made: `void array(int length, long arena, int number, int elements)`, with [`ELEMENTS_OF_REFERENCES`] or the power of two that an element's
/// bytes are.
pub const ARRAY: (&str, &str) = ("array", "(IJII)V");
/// Arrays within arrays were made: `void arrays(Object outermost, long arena, int number, int elements, int levels)`.
pub const ARRAYS: (&str, &str) = ("arrays", "(Ljava/lang/Object;JIII)V");
/// The elements are references.
pub const ELEMENTS_OF_REFERENCES: i32 = 4;

/// Digest of a method's name and descriptor, by which a method knows that it is the one that was called (FNV-1a).
#[must_use]
pub fn member_digest(name: &[u8], descriptor: &[u8]) -> i32 {
    let step = |digest: u32, byte: &u8| (digest ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    name.iter().chain(descriptor).fold(0x811c_9dc5, step) as i32
}

/// The class whose static methods add up durations of calls.
pub const TIMES_CLASS: &str = "java/lang/SplTimes";
/// A call begins: `long enter(int id)`, its place on the thread's stack.
pub const ENTER_TIMED: (&str, &str) = ("enter", "(I)J");
/// A call ends: `void leave(long frame, int id)`.
pub const LEAVE_TIMED: (&str, &str) = ("leave", "(JI)V");
/// [`ENTER_TIMED`] with two clocks.
pub const ENTER_TIMED_FOUR: (&str, &str) = ("enterFour", "(I)J");
/// [`LEAVE_TIMED`] with two clocks.
pub const LEAVE_TIMED_FOUR: (&str, &str) = ("leaveFour", "(JI)V");

/// The class whose static methods write traces.
pub const TRACE_CLASS: &str = "java/lang/SplTrace";
/// An activation begins: `long enter(int id)`; gives what the others take.
pub const TRACE_ENTER: (&str, &str) = ("enter", "(I)J");
/// One begins that runs one segment, which nothing can stop: `void single(int id)`.
pub const TRACE_SINGLE: (&str, &str) = ("single", "(I)V");
/// One begins that runs one segment: `long guarded(int id)`.
pub const TRACE_GUARDED: (&str, &str) = ("guarded", "(I)J");
/// A segment ends: `void seg(long token, int number)`.
pub const TRACE_SEGMENT: (&str, &str) = ("seg", "(JI)V");
/// A segment ends with its activation: `void ret(long token, int number)`.
pub const TRACE_RETURN: (&str, &str) = ("ret", "(JI)V");
/// A handler begins: `void caught(long token, int block, int number)`.
pub const TRACE_CAUGHT: (&str, &str) = ("caught", "(JII)V");
/// An exception leaves an activation: `void thrown(long token, int number)`.
pub const TRACE_THROWN: (&str, &str) = ("thrown", "(JI)V");
/// An activation begins within whose calls is traced, one of a number: `long within(int id, int of)`.
pub const TRACE_WITHIN: (&str, &str) = ("within", "(II)J");
/// As [`TRACE_RETURN`], of such an activation.
pub const TRACE_WITHIN_RETURN: (&str, &str) = ("withinRet", "(JI)V");
/// As [`TRACE_THROWN`], of such an activation.
pub const TRACE_WITHIN_THROWN: (&str, &str) = ("withinThrown", "(JI)V");
/// A place in the order of all threads, for an activation that begins: `void place()`.
pub const TRACE_PLACE: (&str, &str) = ("place", "()V");
/// The same within an activation: `void place(long token)`.
pub const TRACE_PLACE_WITHIN: (&str, &str) = ("place", "(J)V");
/// In front of an activation of an object's method: `void receiver(Object self, int id)`.
pub const TRACE_RECEIVER: (&str, &str) = ("receiver", "(Ljava/lang/Object;I)V");
/// The clock in front of what follows: `void mark()`.
pub const TRACE_MARK: (&str, &str) = ("mark", "()V");
/// Set in the number of a segment in front of which a word is missing.
pub const TRACE_UNTOLD: i32 = 1 << 30;

/// Counts, or words, for which a stack overflow left no room: `static int uncounted` of [`COUNTERS_CLASS`] and of [`TRACE_CLASS`].
pub const UNCOUNTED: (&str, &str) = ("uncounted", "I");

/// The class that has the flags.
pub const FLAGS_CLASS: &str = "java/lang/SplFlags";
/// The flags: `static final byte[] SET`.
pub const FLAGS: (&str, &str) = ("SET", "[B");

/// Gate, quota and depth: `int enter(int id)`; 0 means that this call is not sampled.
pub const ENTER: (&str, &str) = ("enter", "(I)I");
/// Start clock: `long begin(int token)`, nanoseconds of the JVM's monotonic clock, 0 for token 0.
pub const BEGIN: (&str, &str) = ("begin", "(I)J");
/// Shallow size: `long sizeof(int token, long sum, Object argument)`, bytes.
pub const SIZEOF: (&str, &str) = ("sizeof", "(IJLjava/lang/Object;)J");
/// Deep size: `long deep(int token, long sum, Object argument)`, bytes.
pub const DEEP: (&str, &str) = ("deep", "(IJLjava/lang/Object;)J");
/// Length: `long length(int token, long sum, Object argument)`.
pub const LENGTH: (&str, &str) = ("length", "(IJLjava/lang/Object;)J");
/// Length of a number: `long length(int token, long sum, long number)`.
pub const LENGTH_OF_NUMBER: (&str, &str) = ("length", "(IJJ)J");
/// Room for the arguments: `Object[] arguments(int token, int count)`, null for token 0.
pub const ARGUMENTS: (&str, &str) = ("arguments", "(II)[Ljava/lang/Object;");
/// Name of the method that stores one argument there, with one of the descriptors of [`argument_descriptor`].
pub const ARGUMENT: &str = "argument";
/// A size processor's size: `long computed(int token, Class owner, Object self, Object[] arguments)`.
pub const COMPUTED: (&str, &str) = ("computed", "(ILjava/lang/Class;Ljava/lang/Object;[Ljava/lang/Object;)J");

/// `void argument(Object[] arguments, int index, T value)` for a parameter whose descriptor begins with
/// `tag`.
#[must_use]
pub fn argument_descriptor(tag: u8) -> &'static str {
    match tag {
        b'B' => "([Ljava/lang/Object;IB)V",
        b'C' => "([Ljava/lang/Object;IC)V",
        b'D' => "([Ljava/lang/Object;ID)V",
        b'F' => "([Ljava/lang/Object;IF)V",
        b'I' => "([Ljava/lang/Object;II)V",
        b'J' => "([Ljava/lang/Object;IJ)V",
        b'S' => "([Ljava/lang/Object;IS)V",
        b'Z' => "([Ljava/lang/Object;IZ)V",
        _ => "([Ljava/lang/Object;ILjava/lang/Object;)V",
    }
}

/// Name of the exit by `return`, with one of the exit descriptors.
pub const LEAVE: &str = "leave";
/// Name of the exit by exception, with one of the exit descriptors.
pub const THROWN: &str = "thrown";
/// Exit without a size: `void leave(long start, int token)`.
pub const EXIT: &str = "(JI)V";
/// Exit with a size: `void leave(long start, int token, long size)`.
pub const EXIT_SIZED: &str = "(JIJ)V";

/// Counts entries and exits that could not be recorded: `static int lost`. The handlers count with field
/// instructions only: after a call has overflowed the stack, another call would too.
pub const LOST: (&str, &str) = ("lost", "I");

/// The error that the probe's calls may throw themselves, when little of the stack is left.
pub(crate) const OVERFLOW: &[u8] = b"java/lang/StackOverflowError";

/// The root of all classes.
pub(crate) const OBJECT: &str = "java/lang/Object";

/// Packages (with their closing slash) whose classes belong to the probe.
pub const OWN_PACKAGES: [&str; 1] = ["spl/"];
/// Classes that the probe itself runs; a probe in them would call itself.
pub const OWN_CLASSES: [&str; 24] = [
    PROBE_CLASS,
    ARCS_CLASS,
    COUNTERS_CLASS,
    ROOTS_CLASS,
    TIMES_CLASS,
    TRACE_CLASS,
    FLAGS_CLASS,
    "java/lang/SplJdk",
    "java/lang/SplLengths",
    "java/lang/SplNumbers",
    "java/lang/SplLengths$Field",
    "java/lang/SplProcessors",
    "java/lang/SplProcessors$Installed",
    "java/lang/SplProcessors$Kept",
    "java/lang/SplProcessors$Known",
    "java/lang/SplProcessors$Loading",
    "java/lang/SplProcessors$Loader",
    "java/lang/SplProcessors$Patience",
    "java/lang/SplRecorder",
    "java/lang/SplSizes",
    "java/lang/SplSizes$Layout",
    "java/lang/SplSizes$Layouts",
    "java/lang/SplSizes$Visit",
    "jdk/internal/misc/Unsafe",
];

/// Annotations (as field descriptors) of methods that the JVM treats specially. With the first, a closing
/// memory session may interrupt them at any instruction; with the second, they run in the reserved end of the
/// stack. With the last two, `Thread.currentThread()` changes between a virtual thread and its carrier, or no
/// JVM TI event may be sent.
pub const SPECIAL_ANNOTATIONS: [&str; 4] = [
    "Ljdk/internal/misc/ScopedMemoryAccess$Scoped;",
    "Ljdk/internal/vm/annotation/ReservedStackAccess;",
    "Ljdk/internal/vm/annotation/ChangesCurrentThread;",
    "Ljdk/internal/vm/annotation/JvmtiMountTransition;",
];
/// Calls of this class's methods begin on one carrier thread and may end on another, and neither is the
/// virtual thread (JDK 19 and later). The JVM does not allow changing it at run time, but `spl instrument`
/// changes files.
pub const CONTINUATION: &str = "jdk/internal/vm/Continuation";
/// Annotations (as field descriptors) of methods that the JVM may replace by an intrinsic; the second is JDK
/// 11's.
pub const INTRINSIC_ANNOTATIONS: [&str; 2] =
    ["Ljdk/internal/vm/annotation/IntrinsicCandidate;", "Ljdk/internal/HotSpotIntrinsicCandidate;"];

/// Whether the JVM may replace calls of the method by an intrinsic.
pub(crate) fn is_intrinsic(method: &Method<'_>) -> bool {
    method.annotations.iter().any(|found| INTRINSIC_ANNOTATIONS.iter().any(|name| name.as_bytes() == *found))
}

/// The annotation that makes the method unfit for probes.
pub(crate) fn special_annotation(method: &Method<'_>) -> Option<&'static str> {
    let listed = |found: &&[u8]| SPECIAL_ANNOTATIONS.into_iter().find(|name| name.as_bytes() == *found);
    method.annotations.iter().find_map(listed)
}
