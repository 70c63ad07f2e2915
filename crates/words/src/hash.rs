//! FNV-1a, 32 bits: a hash that can be computed while compiling.

/// The hash of no bytes.
pub const START: u32 = 0x811C_9DC5;

/// Adds a byte to a hash.
#[must_use]
pub const fn with_byte(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}
