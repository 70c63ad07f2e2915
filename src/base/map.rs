//! Small maps, in the order of their keys.
//!
//! A `LiteMap` is a sorted list. Each `BTreeMap` type adds 6 kB of code, and the maps here have a few entries or grow
//! at their end. Maps with many entries and no order are the hashed ones below.

use super::value::{FromValue, Misfit, Reading, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh64::Xxh64Builder;

/// A map with the same hashes on every machine. It is only looked up, never iterated.
pub(crate) type HashedMap<K, V> = HashMap<K, V, Xxh64Builder>;

/// A set of the same kind.
pub(crate) type HashedSet<T> = HashSet<T, Xxh64Builder>;

/// Entries in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<K, V>(litemap::LiteMap<K, V>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(litemap::LiteMap::new_vec())
    }
}

impl<K: Ord, V> Map<K, V> {
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        self.0.insert(key, value);
    }

    /// Removes a key, and returns its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.0.remove(key)
    }

    /// Removes every key.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// All entries, in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter()
    }
}

impl<V: Serialize> Serialize for Map<String, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<V: FromValue> FromValue for Map<String, V> {
    fn from_value(value: &Value) -> Reading<Self> {
        let Value::Map(entries) = value else {
            return Err(Misfit::new("is of the wrong type"));
        };
        let mut map = Self::default();
        for (key, value) in entries {
            let value = V::from_value(value).map_err(|misfit| misfit.within(key))?;
            map.insert(key.clone(), value);
        }
        Ok(map)
    }
}

#[cfg(test)]
impl<V: schemars::JsonSchema> schemars::JsonSchema for Map<String, V> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        std::collections::BTreeMap::<String, V>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        std::collections::BTreeMap::<String, V>::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A position as a sort key; none comes first.
pub(crate) fn place(position: Option<usize>) -> i64 {
    position.map_or(-1, |position| i64::try_from(position).unwrap_or(i64::MAX))
}

/// Sorts positions by a key, and equal ones by themselves. Callers share one function, because each sort is 5 kB of
/// code.
pub(crate) fn sort_by_key(positions: &mut [usize], key: &dyn Fn(usize) -> (i64, i64)) {
    positions.sort_unstable_by_key(|position| (key(*position), *position));
}

/// A number as a sort key, the largest first.
pub(crate) fn descending(number: f64) -> i64 {
    let bits = number.to_bits().cast_signed();
    // The order of `f64::total_cmp`.
    !(bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed())
}

/// Sorts numbers. Values with several keys pack these into one number. Callers share one function; see above.
pub(crate) fn sort_numbers(numbers: &mut [u64]) {
    numbers.sort_unstable();
}

/// Packs two numbers into one: [`sort_numbers`] sorts by the first, and equal ones by the second.
pub(crate) fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// The two numbers of a [`pair`].
#[expect(clippy::cast_possible_truncation, reason = "both halves are of 32 bits")]
pub(crate) fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// A nonnegative number and its position as one number. [`sort_numbers`] puts the largest first, and the last position
/// in a tie.
#[expect(clippy::cast_possible_truncation, reason = "lists have far fewer than 2^32 entries")]
pub(crate) fn best_first(number: f32, position: usize) -> u64 {
    pair(!number.to_bits(), !(position as u32))
}

/// The position in a number of [`best_first`].
pub(crate) fn position(number: u64) -> usize {
    !halves(number).1 as usize
}

/// Keeps the `count` smallest numbers, in any order. Returns the next larger one, if there are more.
pub(crate) fn keep_smallest(numbers: &mut Vec<u64>, count: usize) -> Option<u64> {
    let next = (numbers.len() > count).then(|| *numbers.select_nth_unstable(count).1);
    numbers.truncate(count);
    next
}

/// The bits of a nonnegative number, in its order.
pub(crate) fn ordered(number: f32) -> u64 {
    u64::from(number.max(0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descending_keys_are_in_the_order_of_the_numbers() {
        let numbers =
            [f64::NEG_INFINITY, -2.5, -1e-300, -0.0, 0.0, 1e-300, 0.1, 3.0, f64::INFINITY];
        assert!(numbers.is_sorted_by(|one, other| descending(*one) > descending(*other)));
    }

    #[test]
    fn keeps_keys_sorted_in_any_insertion_order() {
        let mut map = Map::default();
        for key in ["b", "d", "a", "c", "b", "e"] {
            map.insert(key.to_owned(), key.len());
        }
        map.remove(&"d".to_owned());
        let keys: Vec<&str> = map.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "e"]);
        assert_eq!((map.get("c"), map.get("d")), (Some(&1), None));
        assert_eq!(serde_json::to_string(&map).expect("JSON"), r#"{"a":1,"b":1,"c":1,"e":1}"#);
    }
}
