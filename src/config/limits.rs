//! Providers' limits on the size of a request and on its images. docs/providers.md has the sources.

use super::render::Provider;
use crate::tokens::{Family, windows};

/// A provider's limits on a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestLimits {
    /// Bytes of the body. A megabyte counts as 1,000,000 bytes, because no provider says that it means more.
    pub(super) bytes: u64,
    pub(super) images: u64,
}

/// Largest window of a Claude that accepts only 100 images.
const SMALL_CONTEXT: u64 = 200_000;

/// Returns the limits that the model's maker has published. Other servers with OpenAI's format have different limits.
pub(super) fn of(
    provider: Option<Provider>,
    family: Family,
    model: Option<&str>,
) -> Option<RequestLimits> {
    provider?;
    let limits = |bytes, images| Some(RequestLimits { bytes, images });
    match family {
        Family::Claude(_) => {
            let window = model.and_then(windows::of).map_or(SMALL_CONTEXT, |it| it.tokens);
            limits(32_000_000, if window > SMALL_CONTEXT { 600 } else { 100 })
        }
        Family::Gemini(_) => limits(100_000_000, 3600),
        Family::OpenAi => limits(512_000_000, 1500),
        Family::Other(_) => None,
    }
}
