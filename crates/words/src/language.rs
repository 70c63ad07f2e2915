//! The supported languages.

/// A supported language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Portuguese, of Brazil and of Portugal.
    Portuguese,
    /// Italian.
    Italian,
    /// Russian.
    Russian,
}

impl Language {
    /// All languages, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
        Self::Italian,
        Self::Russian,
    ];

    /// Its bit in a set of languages.
    #[must_use]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}
