//! Why values are not exact, in words that several metrics use.

/// Of counts of instructions.
pub const LEFT: &str = "exceptions left blocks where more than one instruction may have thrown, or a thread was in them when the JVM ended";
/// Of calls that entered nothing counted.
pub const MAYBE_NATIVE: &str =
    "calls of methods that do not count may be native, and exceptions may have come before a call";
/// Of receivers.
pub const UNSEEN: &str = "of calls that entered no counted method the receiver and the method are not known";
/// Of the order of receivers.
pub const FIRSTS: &str = "of calls that entered no counted method the receiver is not known, and the first call of a thread that took over the counters of one that had ended is not told apart";
/// Of the order of methods.
pub const TURNS: &str = "changes of classes that choose the same method are not told apart, nor the first call of a thread that took over the counters of one that had ended, and of calls that entered no counted method nothing is known";
/// Of the heap.
pub const UNWALKED: &str = "the heap was not looked at";
/// Of the JVM's events.
pub const UNHEARD: &str = "the JVM's events were not heard";
/// Of the most threads at once.
pub const LOOKED: &str =
    "sampled: at least as many as at a look, every 10 ms or less often; at most as many as lived";
/// Of parks.
pub const NO_PARKS: &str =
    "the methods of LockSupport did not count here: they are the JDK's (--jdk), in whole and lib";
/// Of arrays.
pub const ARRAYS: &str = "at least: the arrays within arrays of `multianewarray` are not counted";
/// Of objects by their sizes.
pub const SEVERAL: &str = "exceptions left blocks where more than one instruction may have thrown, or classes of one name have objects of several sizes";
/// Of classes.
pub const NO_CODE: &str = "at least: classes without code, such as most interfaces, are not in a drill";
/// Of drills of some methods.
pub const SOME: &str = "--methods or --not named a part of the methods";
/// Of drills without the JDK.
pub const NO_JDK: &str = "the JDK's classes did not count (no --jdk)";
/// Of drills with the JDK.
pub const HIDDEN: &str = "hidden classes of the JDK, such as those of method handles, do not count";
/// Of what depends on the order of branches.
pub const NO_ORDER: &str = "needs the order of branches, which no drill has";
/// Of the most waiting threads.
pub const UNFOLLOWED: &str = "more threads waited at once than the agent follows";
