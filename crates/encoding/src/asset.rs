//! Makes the asset of a vocabulary; see `vocabulary` for its format.

use super::merge::{self, Scratch};
use super::order::stored_order;
use super::vocabulary::{
    BYTES, FORMAT_VERSION, InvalidVocabulary, LONGEST_TOKEN, MAGIC, MOST_TOKENS, Vocabulary,
    checksum, step,
};

/// Makes the asset of a vocabulary from its tokens in order of rank.
///
/// # Errors
///
/// [`InvalidVocabulary`] if the vocabulary can't be stored as pairs: the first 256 tokens aren't the single bytes, a
/// token doesn't split into two of lower rank, a token is longer than [`LONGEST_TOKEN`], or there are too many tokens.
pub fn encode(tokens: &[Vec<u8>]) -> Result<Vec<u8>, InvalidVocabulary> {
    let refuse = |message| {
        Err(InvalidVocabulary { message, next_action: "Check the source of the vocabulary." })
    };
    if tokens.len() < BYTES || tokens.len() > MOST_TOKENS {
        return refuse("the vocabulary has too few or too many tokens");
    }
    let (single, merged) = tokens.split_at(BYTES);
    let mut bytes = [0; BYTES];
    for (byte, token) in bytes.iter_mut().zip(single) {
        match token.as_slice() {
            [single] => *byte = *single,
            _ => return refuse("one of the first 256 tokens is not a single byte"),
        }
    }
    let Some(mut vocabulary) = Vocabulary::of_bytes_alone(&bytes, tokens.len()) else {
        return refuse("the first 256 tokens are not all the bytes");
    };

    let mut scratch = Scratch::default();
    let mut pairs = Vec::with_capacity(merged.len());
    for token in merged {
        if token.len() > LONGEST_TOKEN {
            return refuse("a token is longer than 128 bytes");
        }
        let pair = merge::two_parts(&vocabulary, token, &mut scratch);
        let Some((left, right)) = pair.filter(|pair| vocabulary.add(pair.0, pair.1).is_some())
        else {
            return refuse("a token does not split into two tokens of lower rank");
        };
        pairs.push([left, right]);
    }

    let mut before = [0, 0];
    let steps = stored_order(&pairs)
        .into_iter()
        .map(|parts| step(std::mem::replace(&mut before, parts), parts));
    let steps: Vec<[u32; 2]> = steps.collect();
    let mut body = bytes.to_vec();
    for part in [0, 1] {
        for shift in [0, 8, 16] {
            body.extend(steps.iter().map(|step| (step[part] >> shift & 0xff) as u8));
        }
    }
    let count = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
    let mut asset = MAGIC.to_vec();
    asset.extend(FORMAT_VERSION.to_le_bytes());
    asset.extend(count.to_le_bytes());
    asset.extend(checksum(&body).to_le_bytes());
    asset.extend(body);
    Ok(asset)
}
