use crate::base::error::{Error, Result};
use crate::base::value::number_text;

/// Checks shares, given with their options' paths: each must be from 0 to 1.
pub(super) fn check_shares(shares: &[(&str, f64)]) -> Result<()> {
    match shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
        Some((path, share)) => Err(Error::option(
            path,
            &format!("{} isn't a share", number_text(*share)),
            "Pass a number from 0 (nothing) to 1 (all).",
        )),
        None => Ok(()),
    }
}
