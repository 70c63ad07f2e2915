//! Computes the costs of images, audio, video and files: by the published formula of the model's maker, or by a
//! documented assumption.
//!
//! A segment has the facts that the host knows about a part: its detail, `name=value` for each fact, and a fingerprint.
//! The costs are bounds and never exact, because makers scale their input and change how they do it. `media.tsv` has
//! every figure with its source, and the reference page prints it. Costs that no maker has published err on the high
//! side.

use super::model::version;
use crate::base::message::Field;

/// How a maker counts media.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Maker {
    /// OpenAI's tiles: the cost of an image, and of each of its tiles.
    Tiles(u64, u64),
    /// OpenAI's patches: the cost of one, in hundredths, and the scaling for each detail.
    Patches(u64, Scaling),
    /// Claude: the bounds that an image is scaled into.
    Anthropic(Bounds),
    /// Gemini up to 2.5.
    GoogleTiles,
    /// Gemini from 3 on.
    Google,
    Unknown,
}

/// Bounds that an image is scaled into: pixels of its longer side, and patches.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    side: u64,
    patches: u64,
}

impl Bounds {
    const fn new(side: u64, patches: u64) -> Self {
        Self { side, patches }
    }
}

/// The bounds for each value of `detail`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scaling {
    low: Bounds,
    high: Bounds,
    original: Bounds,
    auto: Bounds,
}

impl Scaling {
    const fn same(all: Bounds) -> Self {
        Self { low: all, high: all, original: all, auto: all }
    }

    const fn of(self, detail: Detail) -> Bounds {
        match detail {
            Detail::Low => self.low,
            Detail::High => self.high,
            Detail::Original => self.original,
            Detail::Auto => self.auto,
        }
    }
}

const LOW: Bounds = Bounds::new(512, 256);
const HIGH: Bounds = Bounds::new(2048, 2500);
const ORIGINAL: Bounds = Bounds::new(6000, 10_000);
const UNBOUNDED: Bounds = Bounds::new(65_535, u64::MAX);
const SQUARE: Bounds = Bounds::new(2048, 6144);
const FEW: Bounds = Bounds::new(2048, 1536);

const GPT_5_6: Maker =
    Maker::Patches(120, Scaling { low: LOW, high: HIGH, original: UNBOUNDED, auto: UNBOUNDED });
const GPT_5_5: Maker =
    Maker::Patches(120, Scaling { low: LOW, high: HIGH, original: ORIGINAL, auto: ORIGINAL });
const GPT_5_4: Maker =
    Maker::Patches(120, Scaling { low: SQUARE, high: HIGH, original: ORIGINAL, auto: HIGH });
const GPT_4O: (u64, u64) = (85, 170);
const CLAUDE: Bounds = Bounds::new(1568, 1568);
const CLAUDE_4_7: Bounds = Bounds::new(2576, 4784);

/// OpenAI's models by a part of their names; the first match wins. A match ends before a character that is neither a
/// digit nor a point, so `gpt-5` doesn't match `gpt-5.9`.
const OPENAI: [(&str, Maker); 22] = [
    ("gpt-4o-mini", Maker::Tiles(2833, 5667)),
    ("gpt-4o", Maker::Tiles(GPT_4O.0, GPT_4O.1)),
    ("gpt-4.1-mini", Maker::Patches(162, Scaling::same(SQUARE))),
    ("gpt-4.1-nano", Maker::Patches(246, Scaling::same(FEW))),
    ("gpt-4.1", Maker::Tiles(GPT_4O.0, GPT_4O.1)),
    ("gpt-4.5", Maker::Tiles(GPT_4O.0, GPT_4O.1)),
    ("gpt-4", Maker::Tiles(GPT_4O.0, GPT_4O.1)),
    ("codex-mini", Maker::Patches(172, Scaling::same(FEW))),
    ("gpt-5-mini", Maker::Patches(120, Scaling::same(FEW))),
    ("gpt-5-nano", Maker::Patches(150, Scaling::same(FEW))),
    ("gpt-5", Maker::Tiles(70, 140)),
    ("gpt-5.1", Maker::Tiles(70, 140)),
    ("gpt-5.2", Maker::Patches(120, Scaling::same(SQUARE))),
    ("gpt-5.3", Maker::Patches(120, Scaling::same(SQUARE))),
    ("gpt-5.4", GPT_5_4),
    ("gpt-5.5", GPT_5_5),
    ("gpt-5.6", GPT_5_6),
    ("o4-mini", Maker::Patches(172, Scaling::same(FEW))),
    ("o1", Maker::Tiles(75, 150)),
    ("o3", Maker::Tiles(75, 150)),
    ("computer-use", Maker::Tiles(65, 129)),
    ("gpt-", GPT_5_6),
];

impl Maker {
    fn of(model: Option<&str>) -> Self {
        let model = model.unwrap_or_default().to_ascii_lowercase();
        // A name may have the provider before it: `anthropic/claude-…`.
        let own = model.rsplit('/').next().unwrap_or_default();
        if let Some((_, rest)) = own.split_once("claude") {
            let is_older = version(rest).is_some_and(|version| version < (4, 7));
            return Self::Anthropic(if is_older { CLAUDE } else { CLAUDE_4_7 });
        }
        if let Some((_, rest)) = own.split_once("gemini") {
            let is_older = version(rest).is_some_and(|version| version < (3, 0));
            return if is_older { Self::GoogleTiles } else { Self::Google };
        }
        if own.contains("gemma") {
            return Self::Google;
        }
        let fits = |name: &str| match name {
            "gpt-" => own.contains(name),
            _ => own.match_indices(name).any(|(at, _)| {
                let is_whole = |byte: &u8| !byte.is_ascii_digit() && *byte != b'.';
                let begins = at == 0 || name.len() > 2;
                begins && own.as_bytes().get(at + name.len()).is_none_or(is_whole)
            }),
        };
        let found = OPENAI.iter().find(|(name, _)| fits(name));
        found.map_or(Self::Unknown, |(_, maker)| *maker)
    }
}

const UNKNOWN_MILLISECONDS: u64 = 60_000;
const AUDIO_BYTES_PER_MILLISECOND: u64 = 2;
const VIDEO_BYTES_PER_MILLISECOND: u64 = 30;
const UNKNOWN_PAGES: u64 = 5;
const FILE_BYTES_PER_PAGE: u64 = 20_000;
const TEXT_BYTES_PER_TOKEN: u64 = 2;

/// Tokens of the text of a page: the upper end of what Anthropic calls typical.
const PAGE_TEXT: u64 = 3000;
/// A page as an image: A4 at 150 dpi.
const PAGE_SIZE: (u64, u64) = (1240, 1754);
/// The assumed size of an image of unknown size: a photograph of 12 megapixels.
const PHOTOGRAPH: (u64, u64) = (4032, 3024);

/// The detail that a part requests.
#[derive(Clone, Copy, Debug, Default)]
enum Detail {
    Low,
    High,
    Original,
    #[default]
    Auto,
}

/// Known facts about a part.
#[derive(Debug, Default)]
struct Facts<'a> {
    detail: Detail,
    width: Option<u64>,
    height: Option<u64>,
    pages: Option<u64>,
    milliseconds: Option<u64>,
    bytes: Option<u64>,
    media_type: &'a str,
    /// Size in the JSON, in bytes.
    sent: u64,
    /// True if no text can replace it: the screenshot that answers a computer-use call.
    is_fixed: bool,
    /// True for a document that is a text, and for audio with a transcript.
    has_text: bool,
}

impl<'a> Facts<'a> {
    fn read(value: &'a str) -> Self {
        let facts = value.lines().next().unwrap_or_default();
        let mut words = facts.split(' ');
        let detail = match words.next() {
            Some("low") => Detail::Low,
            Some("high") => Detail::High,
            Some("original") => Detail::Original,
            _ => Detail::Auto,
        };
        let mut facts = Self { detail, ..Self::default() };
        for (name, given) in words.filter_map(|word| word.split_once('=')) {
            let whole = || given.parse().ok().filter(|figure| *figure > 0);
            let pixels = || whole().map(|figure: u64| figure.min(MOST_PIXELS));
            match name {
                "width" => facts.width = pixels(),
                "height" => facts.height = pixels(),
                "pages" => facts.pages = whole(),
                "bytes" => facts.bytes = whole(),
                "milliseconds" => facts.milliseconds = whole(),
                "mediaType" => facts.media_type = given,
                "sent" => facts.sent = whole().unwrap_or_default(),
                "fixed" => facts.is_fixed = true,
                "text" => facts.has_text = true,
                _ => {}
            }
        }
        facts
    }

    fn size(&self) -> Option<(u64, u64)> {
        self.width.zip(self.height)
    }
}

/// The cost of a media part in tokens. `value` is the value of its segment, and `is_assistant` is true if the model
/// said it.
#[must_use]
pub fn cost(field: Field, value: &str, model: Option<&str>, is_assistant: bool) -> u64 {
    let maker = Maker::of(model);
    let facts = Facts::read(value);
    let is = |kind: &str| facts.media_type.starts_with(kind);
    match field {
        Field::Image => image(maker, facts.detail, facts.size()),
        Field::Audio => audio(maker, &facts, is_assistant),
        Field::File if is("image/") => image(maker, facts.detail, facts.size()),
        Field::File if is("audio/") => audio(maker, &facts, is_assistant),
        Field::File if is("video/") => timed(&facts, VIDEO_BYTES_PER_MILLISECOND, 300),
        Field::File => file(maker, &facts),
        _ => 0,
    }
}

/// The text of a document that is a text. It follows the line with the facts about the document.
pub(crate) fn text_of(value: &str) -> Option<&str> {
    value.split_once('\n').map(|(_, text)| text)
}

/// The line that replaces an image, audio or file that isn't shown. None if no text can replace it.
pub(crate) fn line(field: Field, value: &str) -> Option<String> {
    let facts = Facts::read(value);
    let kind = if facts.media_type.is_empty() { kind_of(field) } else { facts.media_type };
    let bytes = facts.bytes.map(|bytes| format!(": {bytes} bytes")).unwrap_or_default();
    (!facts.is_fixed).then(|| format!("[{kind}{bytes}, not shown]"))
}

/// The bytes of an image, audio or a file in the JSON.
pub(crate) fn sent_bytes(value: &str) -> u64 {
    Facts::read(value).sent
}

/// True for an image, and for an image file.
pub(crate) fn is_image(field: Field, value: &str) -> bool {
    kind(field, value, false) == Kind::Image
}

/// The kinds of media that providers treat differently.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Image,
    Audio,
    Video,
    Document,
    /// Can be sent as a text: a document that is one, and the transcript of a reply in audio.
    Text,
}

/// The kind of an image, audio or a file. A file's media type decides.
pub(crate) fn kind(field: Field, value: &str, is_assistant: bool) -> Kind {
    let Facts { media_type, has_text, .. } = Facts::read(value);
    match field {
        Field::Image => Kind::Image,
        Field::Audio if has_text && is_assistant => Kind::Text,
        Field::Audio => Kind::Audio,
        _ if has_text => Kind::Text,
        _ if media_type.starts_with("image/") => Kind::Image,
        _ if media_type.starts_with("audio/") => Kind::Audio,
        _ if media_type.starts_with("video/") => Kind::Video,
        _ => Kind::Document,
    }
}

/// True if a side of an image has more pixels than `pixels`. False if its size isn't known.
pub(crate) fn is_larger(value: &str, pixels: u64) -> bool {
    Facts::read(value).size().is_some_and(|(width, height)| width.max(height) > pixels)
}

/// The kind of a part that isn't text.
pub(crate) fn kind_of(field: Field) -> &'static str {
    match field {
        Field::Image => "image",
        Field::Audio => "audio",
        _ => "file",
    }
}

/// Maximum side length of an image, so that no header can make a count overflow.
const MOST_PIXELS: u64 = 1 << 31;
/// The cap on the length of audio: a month. Longer audio costs the same.
const MOST_MILLISECONDS: u64 = 31 * 86_400_000;
/// The cap on the number of pages. More pages cost the same.
const MOST_PAGES: u64 = 1_000_000;
/// Tokens that Gemini from 3 on counts for an image, unless the request says otherwise.
const GEMINI_IMAGE: u64 = 1120;

fn image(maker: Maker, detail: Detail, size: Option<(u64, u64)>) -> u64 {
    match maker {
        Maker::Tiles(base, tile) => match detail {
            Detail::Low => base,
            _ => base + tile * size.map_or(8, tiles),
        },
        Maker::Patches(hundredths, scaling) => {
            let bounds = scaling.of(detail);
            let patches = match size {
                Some(size) => patches(size, bounds),
                None if bounds == UNBOUNDED => patches(PHOTOGRAPH, bounds),
                None => bounds.patches.min(bounds.side.div_ceil(32).pow(2)),
            };
            (patches * hundredths).div_ceil(100)
        }
        Maker::Anthropic(bounds) => size.map_or(bounds.patches, |size| anthropic(size, bounds)),
        Maker::GoogleTiles => 258 * size.map_or(MOST_GOOGLE_TILES, google_tiles),
        Maker::Google => GEMINI_IMAGE,
        Maker::Unknown => {
            let openai = image(Maker::Tiles(GPT_4O.0, GPT_4O.1), Detail::High, size);
            GEMINI_IMAGE.max(openai).max(image(Maker::Anthropic(CLAUDE), detail, size))
        }
    }
}

/// Number of tiles of 512 pixels in an image, after scaling.
fn tiles((width, height): (u64, u64)) -> u64 {
    let (width, height) = scaled((width, height), (2048, width.max(height)));
    let (width, height) = scaled((width, height), (768, width.min(height)));
    (width.div_ceil(512) * height.div_ceil(512)).clamp(1, 8)
}

/// Both sides scaled down by `to / from`. Never scales up.
fn scaled((width, height): (u64, u64), (to, from): (u64, u64)) -> (u64, u64) {
    if from <= to {
        return (width, height);
    }
    let scale = |side: u64| (side.saturating_mul(to) / from).max(1);
    (scale(width), scale(height))
}

/// Number of patches of 32 pixels in an image, after scaling.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides of images are far below 2^53, and the result is bounded"
)]
fn patches((width, height): (u64, u64), bounds: Bounds) -> u64 {
    let longer = width.max(height);
    // Fit into the longest side, rounded to whole pixels.
    let fit = |side: u64| {
        if longer <= bounds.side {
            return side;
        }
        ((2 * side * bounds.side + longer) / (2 * longer)).max(1)
    };
    let (width, height) = (fit(width), fit(height));
    let whole = width.div_ceil(32) * height.div_ceil(32);
    if whole <= bounds.patches {
        return whole;
    }
    let (width, height) = (width as f64, height as f64);
    let shrink = (1024.0 * bounds.patches as f64 / (width * height)).sqrt();
    // Scale once more, so that one side has whole patches. A side of less than one patch stays unchanged.
    let adjust = |side: f64| {
        let patches = side * shrink / 32.0;
        if patches < 1.0 { 1.0 } else { patches.floor() / patches }
    };
    let scale = shrink * adjust(width).min(adjust(height));
    // The tolerance keeps a rounding error from moving an integer down.
    let pixels = |side: f64| ((side * scale + 1e-6) as u64).max(1);
    (pixels(width).div_ceil(32) * pixels(height).div_ceil(32)).min(bounds.patches)
}

/// Number of patches of 28 pixels in an image after scaling: the largest size that fits, by Anthropic's own search.
fn anthropic((width, height): (u64, u64), bounds: Bounds) -> u64 {
    let (longer, shorter) = (width.max(height), width.min(height));
    let patches = |longer: u64, shorter: u64| {
        let (across, down) = (longer.div_ceil(28), shorter.div_ceil(28));
        let fits = across * 28 <= bounds.side && across * down <= bounds.patches;
        fits.then_some(across * down)
    };
    if let Some(whole) = patches(longer, shorter) {
        return whole;
    }
    let beside = |side: u64| ((2 * side * shorter + longer) / (2 * longer)).max(1);
    let (mut fits, mut over) = (1, longer);
    while fits + 1 < over {
        let middle = u64::midpoint(fits, over);
        if patches(middle, beside(middle)).is_some() {
            fits = middle;
        } else {
            over = middle;
        }
    }
    patches(fits, beside(fits)).unwrap_or(1)
}

/// Maximum number of tiles of an image. Google says that a large one costs 256, plus about 2,048 for its crops.
const MOST_GOOGLE_TILES: u64 = 9;

/// Number of tiles that Gemini up to 2.5 cuts an image into. Google's pages have two rules, and the one with more tiles
/// is used.
fn google_tiles((width, height): (u64, u64)) -> u64 {
    if width.max(height) <= 384 {
        return 1;
    }
    let cut = |tile: u64| width.div_ceil(tile).saturating_mul(height.div_ceil(tile));
    let unit = (width.min(height) * 2 / 3).max(1);
    cut(768).max(cut(unit)).min(MOST_GOOGLE_TILES)
}

fn audio(maker: Maker, facts: &Facts<'_>, is_assistant: bool) -> u64 {
    let tokens_per_second = match maker {
        Maker::Google | Maker::GoogleTiles | Maker::Anthropic(_) | Maker::Unknown => 32,
        Maker::Tiles(..) | Maker::Patches(..) if is_assistant => 20,
        Maker::Tiles(..) | Maker::Patches(..) => 10,
    };
    timed(facts, AUDIO_BYTES_PER_MILLISECOND, tokens_per_second)
}

/// The cost of a part with a duration.
fn timed(facts: &Facts<'_>, bytes_per_millisecond: u64, tokens_per_second: u64) -> u64 {
    let by_bytes = || facts.bytes.map(|bytes| bytes.div_ceil(bytes_per_millisecond));
    let milliseconds = facts.milliseconds.or_else(by_bytes).unwrap_or(UNKNOWN_MILLISECONDS);
    milliseconds.min(MOST_MILLISECONDS).saturating_mul(tokens_per_second).div_ceil(1000)
}

fn file(maker: Maker, facts: &Facts<'_>) -> u64 {
    if let (true, Some(bytes), None) = (is_text(facts.media_type), facts.bytes, facts.pages) {
        return bytes.div_ceil(TEXT_BYTES_PER_TOKEN).max(1);
    }
    let by_bytes = || facts.bytes.map(|bytes| bytes.div_ceil(FILE_BYTES_PER_PAGE));
    let pages = facts.pages.or_else(by_bytes).unwrap_or(UNKNOWN_PAGES);
    pages.min(MOST_PAGES).saturating_mul(match maker {
        Maker::Anthropic(bounds) => PAGE_TEXT + bounds.patches,
        Maker::GoogleTiles => 258,
        Maker::Google => 560,
        Maker::Tiles(..) | Maker::Patches(..) | Maker::Unknown => {
            PAGE_TEXT + image(maker, facts.detail, Some(PAGE_SIZE))
        }
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
            ("auto width=1024 height=1024 1-a", "gpt-4o", 765),
            ("high width=2048 height=4096 1-a", "gpt-4o", 1105),
            ("low width=4096 height=8192 1-a", "gpt-4o", 85),
            ("high width=1024 height=1024 1-a", "gpt-5.4", 1229),
            ("high width=2048 height=2048 1-a", "gpt-5.4", 3000),
            // Models with at most 1,536 patches.
            ("auto width=1024 height=1024 1-a", "o4-mini", 1762),
            ("auto width=1800 height=2400 1-a", "o4-mini", 2498),
            // Anthropic's.
            ("auto width=200 height=200 1-a", "claude-sonnet-4-6", 64),
            ("auto width=1000 height=1000 1-a", "anthropic/claude-sonnet-4.6", 1296),
            ("auto width=1092 height=1092 1-a", "claude-3-5-sonnet-20241022", 1521),
            ("auto width=1920 height=1080 1-a", "claude-sonnet-4-20250514", 1560),
            ("auto width=2000 height=1500 1-a", "claude-sonnet-4-6", 1564),
            ("auto width=3840 height=2160 1-a", "claude-haiku-4-5", 1560),
            ("auto width=1075 height=1520 1-a", "claude-sonnet-4-6", 33 * 47),
            ("auto width=1092 height=1092 1-a", "claude-opus-4-7", 1521),
            ("auto width=1920 height=1080 1-a", "claude-opus-4-8", 2691),
            ("auto width=2000 height=1500 1-a", "claude-opus-4.8", 3888),
            ("auto width=3840 height=2160 1-a", "claude-opus-4-7", 4784),
            // Google's.
            ("auto width=384 height=384 1-a", "gemini-2.5-pro", 258),
            ("auto width=960 height=540 1-a", "gemini-2.5-pro", 1548),
            ("auto width=960 height=540 1-a", "gemini-3-pro-preview", 1120),
        ] {
            assert_eq!(image_cost(facts, model), tokens, "{facts}, {model}");
        }
    }

    #[test]
    fn detail_decides_how_large_an_image_stays() {
        for (detail, gpt_5_4, gpt_5_5, gpt_5_6) in [
            ("low", 3687, 231, 231),
            ("high", 2942, 2942, 2942),
            ("original", 11_868, 11_868, 14_364),
            ("auto", 2942, 11_868, 14_364),
        ] {
            let facts = format!("{detail} width=4032 height=3024 1-a");
            assert_eq!(image_cost(&facts, "gpt-5.4-mini"), gpt_5_4, "{detail}");
            assert_eq!(image_cost(&facts, "gpt-5.5"), gpt_5_5, "{detail}");
            assert_eq!(image_cost(&facts, "gpt-5.6-luna"), gpt_5_6, "{detail}");
        }
    }

    #[test]
    fn a_model_is_known_by_its_name_and_version() {
        for (model, tokens) in [
            ("gpt-4o-mini-2024-07-18", 8500),
            ("ft:gpt-4o-2024-08-06:me", 255),
            ("chatgpt-4o-latest", 255),
            ("gpt-4-turbo", 255),
            ("gpt-4.1-2025-04-14", 255),
            ("gpt-4.1-mini", 415),
            ("gpt-4.1-nano", 630),
            ("gpt-5", 210),
            ("gpt-5-2025-08-07", 210),
            ("gpt-5-chat-latest", 210),
            ("gpt-5.1", 210),
            ("gpt-5-mini", 308),
            ("gpt-5-nano", 384),
            ("gpt-5.1-codex-mini", 441),
            ("gpt-5.2", 308),
            ("o1-pro", 225),
            ("openai/o3", 225),
            ("computer-use-preview", 194),
            // Newer than the known models.
            ("gpt-5.9", 308),
            ("gpt-6", 308),
            ("claude-next", 361),
            ("us.anthropic.claude-sonnet-4-20250514-v1:0", 361),
            ("gemini-flash-latest", 1120),
            ("gemini-2.0-flash-001", 1032),
            ("gemma-3-27b-it", 1120),
            ("llama-o1", 1120),
            ("", 1120),
        ] {
            let facts = "auto width=512 height=512 1-a";
            assert_eq!(image_cost(facts, model), tokens, "{model}");
        }
        let older =
            ["claude-2.1", "claude-3-opus-20240229", "claude-opus-4-1-20250805", "claude-4-sonnet"];
        let newer =
            ["claude", "claude-opus-4-7", "claude-opus-4.10", "claude-sonnet-5", "claude-fable-5"];
        for model in older {
            assert_eq!(image_cost("auto 1-a", model), 1568, "{model}");
        }
        for model in newer {
            assert_eq!(image_cost("auto 1-a", model), 4784, "{model}");
        }
    }

    const MODELS: [&str; 14] = [
        "",
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4.1-mini",
        "gpt-5",
        "gpt-5-nano",
        "gpt-5.4",
        "gpt-5.5",
        "gpt-5.6-sol",
        "o4-mini",
        "claude-3",
        "claude-opus-5",
        "gemini-2.5-pro",
        "gemini-3-flash",
    ];

    /// An image of unknown size costs as much as any, and none costs more than its formula allows.
    #[test]
    fn an_unknown_size_is_the_most_expensive() {
        let sides = [
            1, 31, 33, 384, 385, 500, 767, 769, 1000, 1568, 2047, 2100, 3024, 4032, 5000, 6001,
            20_000,
        ];
        for model in MODELS {
            for detail in ["low", "high", "original", "auto"] {
                let unknown = image_cost(&format!("{detail} 1-a"), model);
                for width in sides {
                    for height in sides {
                        if model.starts_with("gpt-5.6") && width * height > 4032 * 3024 {
                            continue;
                        }
                        let facts = format!("{detail} width={width} height={height} 1-a");
                        let known = image_cost(&facts, model);
                        // Patches are whole, so a narrow image with as many pixels may have a few more.
                        let more = if unknown > 14_000 { unknown / 4 } else { 0 };
                        assert!(
                            known > 0 && known <= unknown + more,
                            "{facts}, {model}: {known}, {unknown}"
                        );
                    }
                }
            }
        }
    }

    /// For an unknown maker, the cost is at least that of any model with the standard resolution.
    #[test]
    fn an_unknown_model_costs_as_much_as_any_standard_one() {
        for size in
            ["", "width=100 height=100 ", "width=1024 height=1024 ", "width=300 height=4000 "]
        {
            for detail in ["low", "auto"] {
                let facts = format!("{detail} {size}1-a");
                for model in ["gpt-4o", "claude-sonnet-4-6", "gemini-3-flash"] {
                    assert!(
                        image_cost(&facts, "") >= image_cost(&facts, model),
                        "{facts}, {model}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_header_makes_a_count_overflow() {
        let figures = ["0", "1", "-1", "NaN", "2147483648", "18446744073709551615", "1e99", "inf"];
        for model in MODELS {
            for width in figures {
                for height in figures {
                    for detail in ["low", "high", "original", "auto"] {
                        let facts = format!("{detail} width={width} height={height} 1-a");
                        let tokens = image_cost(&facts, model);
                        assert!((1..1 << 40).contains(&tokens), "{facts}, {model}");
                    }
                }
                for (field, media_type) in [
                    (Field::Audio, "audio/wav"),
                    (Field::File, "application/pdf"),
                    (Field::File, "video/mp4"),
                ] {
                    let facts = format!(
                        "auto milliseconds={width} pages={width} bytes={width} mediaType={media_type} 1-a"
                    );
                    assert!(cost(field, &facts, Some(model), true) > 0, "{facts}, {model}");
                }
            }
        }
    }

    #[test]
    fn files_audio_and_video_follow_the_table() {
        let pdf = "auto pages=3 mediaType=application/pdf 1-a";
        for (field, facts, model, tokens) in [
            (Field::File, pdf, "claude-3", 3 * 4568),
            (Field::File, pdf, "claude-opus-4-8", 3 * 7784),
            (Field::File, pdf, "gemini-2.5-pro", 774),
            (Field::File, pdf, "gemini-3-pro", 1680),
            (Field::File, pdf, "gpt-4o", 3 * (3000 + 1105)),
            (Field::File, pdf, "gpt-4o-mini", 3 * (3000 + 36_835)),
            (Field::File, pdf, "gpt-5.5", 3 * (3000 + 2574)),
            (Field::File, "auto bytes=1000000 mediaType=application/pdf 1-a", "gpt-4o", 50 * 4105),
            (Field::File, "auto bytes=3000 mediaType=text/csv 1-a", "", 1500),
            (Field::File, "auto width=512 height=512 mediaType=image/png 1-a", "gpt-4o", 255),
            (Field::File, "auto 1-a", "gpt-4o", 5 * 4105),
            (Field::File, "auto milliseconds=2000 mediaType=video/mp4 1-a", "gemini-2.5-pro", 600),
            (Field::File, "auto bytes=300000 mediaType=video/mp4 1-a", "", 3000),
            (Field::File, "auto mediaType=video/mp4 1-a", "", 18_000),
            (Field::File, "auto milliseconds=1500 mediaType=audio/mpeg 1-a", "gpt-4o", 15),
            (Field::Audio, "auto milliseconds=1500 1-a", "gpt-4o", 15),
            (Field::Audio, "auto milliseconds=1500 1-a", "gemini-2", 48),
            (Field::Audio, "auto milliseconds=1500 1-a", "", 48),
            (Field::Audio, "auto bytes=40000 1-a", "gpt-4o", 200),
            (Field::Audio, "auto 1-a", "gpt-4o", 600),
        ] {
            assert_eq!(cost(field, facts, Some(model), false), tokens, "{facts}, {model}");
        }
        assert_eq!(cost(Field::Audio, "auto milliseconds=2000 1-a", Some("gpt-4o"), true), 40);
    }
}
