//! FNV-1a, 32 bits: a hash that can be computed while compiling.

/// The hash of no byte.
pub const START: u32 = 0x811C_9DC5;

/// The hash of the bytes so far and one more.
#[must_use]
pub const fn with_byte(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}
