//! Finds items of a section that match the request.

use crate::config::{Item, SectionKind};
use crate::recall::rank::passages::{self, Bounds, Found};
use crate::stages::budget::sections::count;
use crate::state::context::FocusReport;
use crate::state::input::Input;

/// The parts of a section's items that match the request best, as items in order.
pub(crate) fn find(input: &Input, focus: &FocusReport, position: usize, query: &str) -> Vec<Item> {
    let section = &input.config.sections()[position];
    let limit = &section.limit;
    let is_bounded = limit.items.is_some() || limit.chars.is_some() || limit.tokens.is_some();
    let is_recall = section.kind == SectionKind::Recall;
    let mut bounds = Bounds {
        count: count(limit.items),
        chars: count(limit.chars),
        text_chars: usize::MAX,
        around: section.item.as_ref().map_or(0, |template| template.chars().count()) + 1,
    };
    if is_recall || !is_bounded {
        bounds.count = bounds.count.min(count(Some(focus.max_items)));
        bounds.chars = bounds.chars.min(count(Some(focus.max_chars)));
    }
    if is_recall {
        bounds.text_chars = count(Some(input.config.recall.max_item_chars));
    }
    let texts: Vec<&str> = section.items.iter().map(|item| item.text.as_str()).collect();
    let library = input.transcript.known_library(&texts, bounds.passage_chars());
    let found = passages::find(&library, &texts, query, bounds, input.now);
    let item = |found: Found| {
        let item = &section.items[found.text];
        let text = &item.text[found.range];
        Item {
            text: text.to_owned(),
            summary: item.summary.clone().filter(|_| text == item.text.trim()),
            priority: Some(found.score),
            score: Some(found.score),
            ..item.clone()
        }
    };
    found.into_iter().map(item).collect()
}
