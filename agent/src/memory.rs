//! The memory that probes and agent share: mapped once, never unmapped, because old activations of a method
//! may still write to it after its class was restored.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// The second gigabyte of the address space. Linux offers it only on this processor.
#[cfg(target_arch = "x86_64")]
const LOW_ADDRESS: libc::c_int = libc::MAP_32BIT;
#[cfg(not(target_arch = "x86_64"))]
const LOW_ADDRESS: libc::c_int = 0;

/// A zeroed mapping that lives as long as the process.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping is never unmapped, and all access goes through atomics.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps this number of zero bytes, if possible at an address of 31 bits. The compilers put such an
    /// address into the instructions that use it, which saves 3 ns a measured call; a larger address works as
    /// well.
    ///
    /// # Errors
    /// When the kernel has no room.
    pub fn map(bytes: usize) -> io::Result<Self> {
        Self::map_with(bytes, LOW_ADDRESS).or_else(|_| Self::map_with(bytes, 0))
    }

    /// Maps the first bytes of a file that never shrinks; other processes see what is written.
    ///
    /// # Errors
    /// When the kernel has no room.
    pub fn map_file(file: &impl AsRawFd, bytes: usize) -> io::Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        Self::at(bytes, flags, file.as_raw_fd())
    }

    fn map_with(bytes: usize, where_to: libc::c_int) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | where_to;
        Self::at(bytes, flags, -1)
    }

    fn at(bytes: usize, flags: libc::c_int, file: RawFd) -> io::Result<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a mapping at an address of the kernel's choice touches nothing that exists.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, file, 0) };
        match NonNull::new(at.cast::<u8>()) {
            Some(base) if at != libc::MAP_FAILED => {
                // Most of the mapping is never touched, and a huge page would take two megabytes for its
                // first byte. A kernel without huge pages refuses, which does no harm.
                // SAFETY: the range was just mapped.
                unsafe { libc::madvise(at, bytes, libc::MADV_NOHUGEPAGE) };
                Ok(Self { base, bytes })
            }
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// The address that replaces the placeholder in the probes.
    pub fn address(&self) -> i64 {
        // A user-space address fits in 63 bits.
        self.base.as_ptr() as usize as i64
    }

    /// Returns the memory of these bytes, which must be whole pages, to the system; they are zeros from then
    /// on. If that is impossible, for example because the program has locked its memory, they stay unchanged.
    pub fn give_back(&self, offset: usize, bytes: usize) {
        assert!(offset + bytes <= self.bytes, "{bytes} bytes at {offset} in the mapping");
        // SAFETY: the bytes lie in a private anonymous mapping that is never unmapped, and all references
        // into it are to atomics.
        unsafe { libc::madvise(self.base.as_ptr().wrapping_add(offset).cast(), bytes, libc::MADV_DONTNEED) };
    }

    /// The 64-bit word at a byte offset.
    pub fn u64_at(&self, offset: usize) -> &'static AtomicU64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.bytes, "offset {offset} in the mapping");
        // SAFETY: inside the mapping, aligned, never unmapped, and only accessed atomically by this side.
        unsafe { &*self.base.as_ptr().wrapping_add(offset).cast::<AtomicU64>() }
    }

    /// The byte at an offset.
    pub fn u8_at(&self, offset: usize) -> &'static AtomicU8 {
        assert!(offset < self.bytes, "offset {offset} in the mapping");
        // SAFETY: as in `u64_at`.
        unsafe { &*self.base.as_ptr().wrapping_add(offset).cast::<AtomicU8>() }
    }

    /// The 32-bit word at a byte offset.
    pub fn u32_at(&self, offset: usize) -> &'static AtomicU32 {
        assert!(offset.is_multiple_of(4) && offset + 4 <= self.bytes, "offset {offset} in the mapping");
        // SAFETY: as in `u64_at`.
        unsafe { &*self.base.as_ptr().wrapping_add(offset).cast::<AtomicU32>() }
    }
}
