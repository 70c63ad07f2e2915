//! Vocabularies: raw bytes, and bytes with a matching checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use windrow::tokens::{Encoding, EncodingName, asset};
use windrow_fuzz::seed;

const HEADER: usize = 24;

fuzz_target!(
    init: {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        seed("bytes", &asset::encode(&tokens).expect("a vocabulary"));
        tokens.extend([b"ab".to_vec(), b"abc".to_vec(), b"  ".to_vec(), b"    ".to_vec()]);
        seed("pairs", &asset::encode(&tokens).expect("a vocabulary"));
    },
    |bytes: &[u8]| {
        for name in EncodingName::ALL {
            let is_packaged = EncodingName::PACKAGED.contains(&name);
            assert!(Encoding::from_vocabulary(name, bytes).is_err() || !is_packaged);
            if let Some((header, body)) = bytes.split_at_checked(HEADER) {
                let mut sealed = header[..16].to_vec();
                sealed.extend(checksum(body).to_le_bytes());
                sealed.extend(body);
                match Encoding::from_vocabulary(name, &sealed) {
                    Ok(encoding) => {
                        assert!(!is_packaged);
                        let text = String::from_utf8_lossy(bytes);
                        let count = encoding.count(&text);
                        assert!(count <= text.len() as u64);
                        assert_eq!(encoding.count_until(&text, count), Some(count));
                    }
                    Err(error) => assert!(!error.message.is_empty()),
                }
            }
        }
        let tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).chain(bytes.chunks(3).map(<[u8]>::to_vec)).collect();
        if let Ok(asset) = asset::encode(&tokens) {
            assert!(Encoding::from_vocabulary(EncodingName::O200kBase, &asset).is_err());
        }
    }
);

/// The checksum of an asset, computed like in the engine's vocabulary code.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut eight = [0; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        (sum ^ u64::from_le_bytes(eight)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}
