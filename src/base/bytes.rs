//! Numbers read from bytes.

/// Reads numbers from bytes.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    /// A length of 32 bits.
    pub(crate) fn length(&mut self) -> Option<usize> {
        let bytes = self.bytes(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    /// Reads `count` numbers of `N` bytes each.
    pub(crate) fn list<const N: usize, T>(
        &mut self,
        count: usize,
        read: fn([u8; N]) -> T,
    ) -> Option<Vec<T>> {
        let bytes = self.bytes(count.checked_mul(N)?)?;
        Some(bytes.as_chunks().0.iter().map(|bytes| read(*bytes)).collect())
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}
