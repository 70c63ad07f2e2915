//! Templates with slots, and the format of numbers in them.

/// A number with `places` decimals. (The standard library's formatter would be a large part of the whole engine.)
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "values beyond 64 bits become the largest number, and halves round up"
)]
pub(crate) fn decimals(value: f64, places: u32) -> String {
    let scale = 10_u64.pow(places.min(15));
    let scaled = (value.abs() * scale as f64 + 0.5) as u64;
    let sign = if value < 0.0 && scaled > 0 { "-" } else { "" };
    let whole = format!("{sign}{}", scaled / scale);
    if scale == 1 {
        return whole;
    }
    format!("{whole}.{:0width$}", scaled % scale, width = places.min(15) as usize)
}

/// Fills in a template's `{number}`, `{text}`, `{source}` and `{score}`. Inserted text isn't searched for more slots.
pub(crate) fn fill(
    template: &str,
    number: usize,
    text: &str,
    source: Option<&str>,
    score: Option<f64>,
) -> String {
    let slots = [
        ("number}", &*number.to_string()),
        ("text}", text),
        ("source}", source.filter(|source| !source.trim().is_empty()).unwrap_or("unknown")),
        ("score}", &*decimals(score.unwrap_or(0.0), 4)),
    ];
    fill_slots(template, &slots)
}

/// Fills in a template's slots, each named with its closing brace. Inserted text isn't searched for more slots, and
/// unknown slots stay unchanged.
pub(crate) fn fill_slots(template: &str, slots: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut parts = template.split('{');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let slot = slots.iter().find_map(|(name, value)| Some((value, part.strip_prefix(name)?)));
        let (value, after) = slot.unwrap_or((&"{", part));
        out.push_str(value);
        out.push_str(after);
    }
    out
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use windrow_property::properties;

    #[test]
    fn writes_decimals() {
        for (value, places, expected) in [
            (0.0, 4, "0.0000"),
            (0.5, 2, "0.50"),
            (0.999, 2, "1.00"),
            (0.05, 4, "0.0500"),
            (-0.25, 1, "-0.3"),
            (-0.001, 2, "0.00"),
            (12.5, 0, "13"),
            (f64::NAN, 2, "0.00"),
            (f64::INFINITY, 0, "18446744073709551615"),
        ] {
            assert_eq!(decimals(value, places), expected, "{value}");
        }
    }

    #[test]
    fn fills_a_template_in_one_pass() {
        let template = "{number}. score={score} source={source}\n   {text}{other}{{text}{";
        assert_eq!(
            fill(template, 2, "{source}{", Some("{text}"), Some(0.12345)),
            "2. score=0.1235 source={text}\n   {source}{{other}{{source}{{"
        );
        assert_eq!(fill("{source} {score}", 1, "", None, None), "unknown 0.0000");
        assert_eq!(fill("", 1, "text", None, None), "");
    }

    properties! {
        #[test]
        fn decimals_are_rounded_to_the_nearest(value in -1000.0..1000.0, places in 0_u32..8) {
            let read: f64 = decimals(value, places).parse().expect("a number");
            let step = 0.1_f64.powi(i32::try_from(places).expect("small"));
            prop_assert!((read - value).abs() <= step * 0.500_001);
        }
    }
}
