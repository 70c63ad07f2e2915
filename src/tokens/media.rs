//! What images, audio and files cost: by the formula that the model's maker has published, or by a stated rule.
//!
//! A segment says of a part what the host knows of it: its detail, `name=value` for each fact, and a fingerprint. What is here
//! bounds a prompt and is never exact: makers scale what they get, and change how. [`FIGURES`] has every figure with where it is
//! from, and the reference page prints it.

use crate::transcript::Field;

/// A figure, and where it is from.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// What costs that.
    pub what: &'static str,
    /// What it costs.
    pub cost: &'static str,
    /// Who published it, or that it is a rule of windrow's own.
    pub source: &'static str,
}

const OPENAI_IMAGES: &str = "OpenAI, Images and vision, Calculating costs";
const ANTHROPIC_IMAGES: &str = "Anthropic, Vision, Calculate image costs";
const ANTHROPIC_FILES: &str = "Anthropic, PDF support, Estimate your costs";
const GOOGLE: &str = "Google, Gemini API, Understand and count tokens";
const OWN: &str = "a rule of windrow's own";

/// Every figure that media is counted by.
pub const FIGURES: [Figure; 19] = [
    figure("image, `detail: \"low\"`, OpenAI and where no maker is known", "85", OPENAI_IMAGES),
    figure(
        "image, OpenAI and where no maker is known",
        "85 and 170 for each tile of 512 x 512 pixels, once it is scaled into 2,048 x 2,048 and to a shorter side of 768",
        OPENAI_IMAGES,
    ),
    figure("image, `gpt-4o-mini`", "2,833 and 5,667 for each tile", OPENAI_IMAGES),
    figure("image, `gpt-5`", "70 and 140 for each tile", OPENAI_IMAGES),
    figure("image, `o1`, `o3`", "75 and 150 for each tile", OPENAI_IMAGES),
    figure(
        "image, `gpt-4.1-mini`, `gpt-5-mini`; `gpt-4.1-nano`, `gpt-5-nano`; `o4-mini`",
        "1.62; 2.46; 1.72 for each patch of 32 x 32 pixels, of which there are 1,536 at most",
        OPENAI_IMAGES,
    ),
    figure(
        "image, Claude",
        "width x height / 750, once it is scaled to 1,568 pixels on the longer side and to 1,600 tokens",
        ANTHROPIC_IMAGES,
    ),
    figure(
        "image, Gemini",
        "258 where neither side is over 384 pixels, otherwise 258 for each tile of 768 x 768",
        GOOGLE,
    ),
    figure("image of unknown size", "as the dearest that the formula gives; Gemini: 4 tiles", OWN),
    figure(
        "audio, OpenAI and where no maker is known",
        "10 a second of the user's, 20 a second of the assistant's",
        "OpenAI, Realtime API, Managing costs",
    ),
    figure("audio, Gemini", "32 a second", GOOGLE),
    figure("audio, Claude", "32 a second", OWN),
    figure(
        "audio of unknown length",
        "a second for each 4,000 bytes, or 60 seconds where those are not known",
        OWN,
    ),
    figure("page of a PDF, Claude", "3,000 for its text, and an image of 1,600", ANTHROPIC_FILES),
    figure("page of a PDF, Gemini", "258", GOOGLE),
    figure(
        "page of a PDF, OpenAI and where no maker is known",
        "1,105 for its image at 768 x 1,086, and 900 for its text",
        OWN,
    ),
    figure(
        "file of unknown length",
        "a page for each 50,000 bytes, or 5 pages where those are not known",
        OWN,
    ),
    figure("file of text, by its media type", "1 for each 3 bytes", OWN),
    figure("image given as a file", "as an image", OWN),
];

const fn figure(what: &'static str, cost: &'static str, source: &'static str) -> Figure {
    Figure { what, cost, source }
}

/// Who made a model, as far as its media cost otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Maker {
    /// Tiles: what an image costs, and each of its tiles.
    Tiles(u64, u64),
    /// Patches, and what one costs in hundredths.
    Patches(u64),
    Anthropic,
    Google,
}

/// Models by what their names hold, the first that fits.
const MAKERS: [(&str, Maker); 15] = [
    ("claude", Maker::Anthropic),
    ("gemini", Maker::Google),
    ("gemma", Maker::Google),
    ("gpt-4o-mini", Maker::Tiles(2833, 5667)),
    ("gpt-4.1-mini", Maker::Patches(162)),
    ("gpt-4.1-nano", Maker::Patches(246)),
    ("gpt-5-mini", Maker::Patches(162)),
    ("gpt-5-nano", Maker::Patches(246)),
    ("o4-mini", Maker::Patches(172)),
    ("gpt-5", Maker::Tiles(70, 140)),
    ("gpt-4", Maker::Tiles(85, 170)),
    ("o1", Maker::Tiles(75, 150)),
    ("o3", Maker::Tiles(75, 150)),
    ("computer-use", Maker::Tiles(65, 129)),
    ("", Maker::Tiles(85, 170)),
];

impl Maker {
    fn of(model: Option<&str>) -> Self {
        let model = model.unwrap_or_default().to_ascii_lowercase();
        // A name may have the provider before it: `anthropic/claude-…`.
        let own = model.rsplit('/').next().unwrap_or_default();
        let fits = |name: &str| match name {
            "o1" | "o3" => own.starts_with(name),
            _ => own.contains(name),
        };
        let found = MAKERS.iter().find(|(name, _)| fits(name));
        found.map_or(Self::Tiles(85, 170), |(_, maker)| *maker)
    }
}

const UNKNOWN_MILLISECONDS: u64 = 60_000;
const AUDIO_BYTES_PER_MILLISECOND: u64 = 4;
const UNKNOWN_PAGES: u64 = 5;
const FILE_BYTES_PER_PAGE: u64 = 50_000;
const TEXT_BYTES_PER_TOKEN: u64 = 3;

/// What is known of a part.
#[derive(Debug, Default)]
struct Facts<'a> {
    is_low: bool,
    width: Option<u64>,
    height: Option<u64>,
    pages: Option<u64>,
    milliseconds: Option<u64>,
    bytes: Option<u64>,
    media_type: &'a str,
}

impl<'a> Facts<'a> {
    fn read(value: &'a str) -> Self {
        let mut words = value.split(' ');
        let mut facts = Self { is_low: words.next() == Some("low"), ..Self::default() };
        for (name, given) in words.filter_map(|word| word.split_once('=')) {
            let whole = || given.parse().ok().filter(|figure| *figure > 0);
            match name {
                "width" => facts.width = whole(),
                "height" => facts.height = whole(),
                "pages" => facts.pages = whole(),
                "bytes" => facts.bytes = whole(),
                "milliseconds" => facts.milliseconds = whole(),
                "mediaType" => facts.media_type = given,
                _ => {}
            }
        }
        facts
    }
}

/// What a media part costs: `value` is what its segment says, and `is_assistant` whether the model said it.
#[must_use]
pub fn cost(field: Field, value: &str, model: Option<&str>, is_assistant: bool) -> u64 {
    let maker = Maker::of(model);
    let facts = Facts::read(value);
    match field {
        Field::Image => image(maker, &facts),
        Field::Audio => audio(maker, &facts, is_assistant),
        Field::File if facts.media_type.starts_with("image/") => image(maker, &facts),
        Field::File if facts.media_type.starts_with("audio/") => audio(maker, &facts, is_assistant),
        Field::File => file(maker, &facts),
        _ => 0,
    }
}

fn image(maker: Maker, facts: &Facts<'_>) -> u64 {
    let size = facts.width.zip(facts.height);
    match maker {
        Maker::Tiles(base, _) if facts.is_low => base,
        Maker::Tiles(base, tile) => base + tile * size.map_or(8, tiles),
        Maker::Patches(hundredths) => {
            let patches = size.map_or(MOST_PATCHES, patches);
            (patches * hundredths).div_ceil(100)
        }
        Maker::Anthropic => size.map_or(MOST_ANTHROPIC, anthropic),
        Maker::Google => {
            let of_side = |side: u64| side.div_ceil(768).min(MOST_SIDE);
            258 * size.map_or(4, |(width, height)| {
                if width.max(height) <= 384 { 1 } else { of_side(width) * of_side(height) }
            })
        }
    }
}

/// The most tokens of an image for Claude.
const MOST_ANTHROPIC: u64 = 1600;
/// The most patches of an image.
const MOST_PATCHES: u64 = 1536;
/// The most tiles along one side, so that no header can make a count overflow.
const MOST_SIDE: u64 = 1000;

/// The longest audio that is told from longer ones: a month.
const MOST_MILLISECONDS: u64 = 31 * 86_400_000;
/// The most pages that are told from more.
const MOST_PAGES: u64 = 1_000_000;

/// How many tiles of 512 pixels an image has, once it is scaled.
fn tiles((width, height): (u64, u64)) -> u64 {
    let (width, height) = scaled((width, height), (2048, width.max(height)));
    let (width, height) = scaled((width, height), (768, width.min(height)));
    (width.div_ceil(512) * height.div_ceil(512)).clamp(1, 8)
}

/// Both sides, made smaller by `to / from`; as they are where that would make them larger.
fn scaled((width, height): (u64, u64), (to, from): (u64, u64)) -> (u64, u64) {
    if from <= to {
        return (width, height);
    }
    let scale = |side: u64| (side.saturating_mul(to) / from).max(1);
    (scale(width), scale(height))
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides of images are far below 2^53, and the result is bounded"
)]
fn patches((width, height): (u64, u64)) -> u64 {
    let whole = width.div_ceil(32).saturating_mul(height.div_ceil(32));
    if whole <= MOST_PATCHES {
        return whole;
    }
    let (width, height) = (width as f64, height as f64);
    let scale = (1024.0 * MOST_PATCHES as f64 / (width * height)).sqrt();
    let (across, down) = (width * scale / 32.0, height * scale / 32.0);
    // Scaled once more, so that one side has whole patches.
    let fit = |side: f64| if side < 1.0 { 1.0 } else { side.floor() / side };
    let fit = fit(across).min(fit(down));
    let patches = (across * fit).ceil().max(1.0) * (down * fit).ceil().max(1.0);
    (patches as u64).min(MOST_PATCHES)
}

fn anthropic((width, height): (u64, u64)) -> u64 {
    let (width, height) = scaled((width, height), (1568, width.max(height)));
    width.saturating_mul(height).div_ceil(750).clamp(1, MOST_ANTHROPIC)
}

fn audio(maker: Maker, facts: &Facts<'_>, is_assistant: bool) -> u64 {
    let by_bytes = || facts.bytes.map(|bytes| bytes.div_ceil(AUDIO_BYTES_PER_MILLISECOND));
    let milliseconds = facts.milliseconds.or_else(by_bytes).unwrap_or(UNKNOWN_MILLISECONDS);
    let tokens_per_second = match maker {
        Maker::Google | Maker::Anthropic => 32,
        Maker::Tiles(..) | Maker::Patches(_) if is_assistant => 20,
        Maker::Tiles(..) | Maker::Patches(_) => 10,
    };
    milliseconds.min(MOST_MILLISECONDS).saturating_mul(tokens_per_second).div_ceil(1000)
}

fn file(maker: Maker, facts: &Facts<'_>) -> u64 {
    if let (true, Some(bytes), None) = (is_text(facts.media_type), facts.bytes, facts.pages) {
        return bytes.div_ceil(TEXT_BYTES_PER_TOKEN).max(1);
    }
    let by_bytes = || facts.bytes.map(|bytes| bytes.div_ceil(FILE_BYTES_PER_PAGE));
    let pages = facts.pages.or_else(by_bytes).unwrap_or(UNKNOWN_PAGES);
    pages.min(MOST_PAGES).saturating_mul(match maker {
        Maker::Anthropic => 3000 + MOST_ANTHROPIC,
        Maker::Google => 258,
        Maker::Tiles(..) | Maker::Patches(_) => 1105 + 900,
    })
}

fn is_text(media_type: &str) -> bool {
    let kind = media_type.split_once('/').map_or(media_type, |(_, kind)| kind);
    media_type.starts_with("text/")
        || ["json", "xml", "yaml", "x-yaml", "toml", "javascript", "csv", "x-ndjson"]
            .contains(&kind)
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image_cost(facts: &str, model: &str) -> u64 {
        cost(Field::Image, facts, Some(model).filter(|it| !it.is_empty()), false)
    }

    #[test]
    fn images_cost_what_the_published_examples_say() {
        for (facts, model, tokens) in [
            // OpenAI's own examples.
            ("auto width=1024 height=1024 1-a", "", 765),
            ("high width=2048 height=4096 1-a", "gpt-4o", 1105),
            ("low width=4096 height=8192 1-a", "gpt-4o", 85),
            ("auto width=1024 height=1024 1-a", "gpt-4.1-mini", 1659),
            ("auto width=1800 height=2400 1-a", "gpt-4.1-mini", 2353),
            ("auto width=512 height=512 1-a", "gpt-4o-mini-2024-07-18", 8500),
            ("auto width=512 height=512 1-a", "gpt-5", 210),
            ("auto width=1024 height=1024 1-a", "openai/o3", 675),
            // Anthropic's.
            ("auto width=200 height=200 1-a", "claude-sonnet-4", 54),
            ("auto width=1000 height=1000 1-a", "anthropic/claude-sonnet-4", 1334),
            ("auto width=1092 height=1092 1-a", "claude-opus-4", 1590),
            ("auto width=9000 height=9000 1-a", "claude-opus-4", 1600),
            // Google's.
            ("auto width=384 height=384 1-a", "gemini-2.5-pro", 258),
            ("auto width=1536 height=768 1-a", "gemini-2.5-pro", 516),
            // Of unknown size.
            ("auto 1-a", "", 1445),
            ("low 1-a", "", 85),
        ] {
            assert_eq!(image_cost(facts, model), tokens, "{facts}, {model}");
        }
    }

    #[test]
    fn no_header_makes_a_count_overflow() {
        let figures = ["0", "1", "-1", "NaN", "2147483648", "18446744073709551615", "1e99", "inf"];
        for model in ["", "gpt-4.1-mini", "claude-3", "gemini-2"] {
            for width in figures {
                for height in figures {
                    let facts = format!("auto width={width} height={height} 1-a");
                    assert!((1..1 << 40).contains(&image_cost(&facts, model)), "{facts}, {model}");
                }
                for field in [Field::Audio, Field::File] {
                    let facts =
                        format!("auto milliseconds={width} pages={width} bytes={width} 1-a");
                    assert!(cost(field, &facts, Some(model), true) > 0, "{facts}, {model}");
                }
            }
        }
    }

    #[test]
    fn files_and_audio_follow_the_table() {
        for (field, facts, model, tokens) in [
            (Field::File, "auto pages=3 mediaType=application/pdf 1-a", "claude-3", 13_800),
            (Field::File, "auto pages=3 mediaType=application/pdf 1-a", "gemini-2", 774),
            (Field::File, "auto pages=3 mediaType=application/pdf 1-a", "", 6015),
            (Field::File, "auto bytes=1000000 mediaType=application/pdf 1-a", "", 40_100),
            (Field::File, "auto bytes=3000 mediaType=text/csv 1-a", "", 1000),
            (Field::File, "auto width=512 height=512 mediaType=image/png 1-a", "", 255),
            (Field::File, "auto 1-a", "", 10_025),
            (Field::Audio, "auto milliseconds=1500 1-a", "", 15),
            (Field::Audio, "auto milliseconds=1500 1-a", "gemini-2", 48),
            (Field::Audio, "auto bytes=40000 1-a", "", 100),
            (Field::Audio, "auto 1-a", "", 600),
        ] {
            assert_eq!(cost(field, facts, Some(model), false), tokens, "{facts}, {model}");
        }
        assert_eq!(cost(Field::Audio, "auto milliseconds=2000 1-a", None, true), 40);
    }
}
