//! Makes the contents of the sections other than history and request, and finds the forms that fit.

use crate::base::guard;
use crate::base::map;
use crate::base::message::Role;
use crate::base::template;
use crate::base::text;
use crate::config::{Format, FrontMatter, Item, Section, SectionKind};
use crate::prompt::form;
use crate::prompt::measure::Meter;
use crate::prompt::shorten;
use crate::state::ask::StageResult;
use crate::state::context::{ItemForm, ItemReport, Piece, RecallStatus, SectionReport};
use crate::state::fill::{Fill, ShortenedText};
use crate::state::input::Input;
use crate::state::marks::Marks;
use crate::state::view::View;

/// The contents of one section.
#[derive(Debug)]
pub(crate) struct Body {
    /// The section's position.
    pub section: usize,
    /// The section's entries, in order.
    pub entries: Vec<Entry>,
    /// The text to show if nothing of the section is shown.
    empty: Option<String>,
    /// Maximum number of characters of all shown entries together; the rest is cut.
    max_chars: Option<usize>,
}

/// One text of a section.
#[derive(Debug)]
pub(crate) struct Entry {
    pub id: Option<String>,
    full: String,
    summary: Option<String>,
    priority: f64,
    /// Number of spaces before its lines.
    indent: usize,
}

/// The form of an entry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ShownForm {
    Full,
    Summary,
    Cut(ShortenedText),
    Out,
}

impl ShownForm {
    pub(crate) fn form(&self) -> ItemForm {
        match self {
            Self::Full => ItemForm::Full,
            Self::Summary => ItemForm::Summary,
            Self::Cut(_) => ItemForm::Cut,
            Self::Out => ItemForm::LeftOut,
        }
    }
}

/// Checks whether a section fits in these forms.
pub(crate) type Fits<'a> = dyn FnMut(&[ShownForm]) -> StageResult<bool> + 'a;

impl Body {
    /// The contents of a section. None for history and request, which consist of messages.
    pub(crate) fn of(input: &Input, marks: &Marks, position: usize) -> Option<Self> {
        let section = input.config.sections().get(position)?;
        let mut body = Self {
            section: position,
            entries: Vec::new(),
            empty: section.empty.clone(),
            max_chars: None,
        };
        let whole =
            |text: String| Entry { id: None, full: text, summary: None, priority: 0.0, indent: 0 };
        match section.kind {
            SectionKind::History | SectionKind::Request => return None,
            SectionKind::Text => {
                let text = section.text.as_deref().unwrap_or_default();
                let text = without_front_matter(text, section.front_matter);
                body.entries.extend((!text.is_empty()).then(|| whole(text.to_owned())));
                body.max_chars = section.limit.chars.and_then(|chars| chars.try_into().ok());
            }
            SectionKind::Focus => body.entries.push(whole(marks.focus.summary.clone())),
            SectionKind::Items => {
                let items = if section.ranked { marks.found(position) } else { &section.items };
                let shown = items.iter().take(count(section.limit.items)).enumerate();
                body.entries.extend(shown.map(|(at, item)| entry(input, section, at + 1, item)));
            }
            SectionKind::Recall => body.recall(input, marks, section),
        }
        Some(body)
    }

    fn recall(&mut self, input: &Input, marks: &Marks, section: &Section) {
        let config = &input.config.recall;
        let status = marks.recall.as_ref().map(|report| report.status);
        let status_text = match status {
            Some(RecallStatus::EmptyQuery) => config.empty_query.clone(),
            Some(RecallStatus::Failed | RecallStatus::Unavailable) => config.unavailable.clone(),
            _ => None,
        };
        self.empty = status_text.or_else(|| self.empty.take());
        self.max_chars = Some(count(Some(marks.focus.max_chars)));
        let found = marks.found(self.section).iter().enumerate();
        for (at, found) in found.take(count(section.limit.items)) {
            let text = form::said_of(&input.config, found.text.trim());
            if text.is_empty() {
                continue; // numbered anyway: the numbers are those of the hits
            }
            let text = text::excerpt(&text, count(Some(config.max_item_chars)));
            let item = Item { text, ..found.clone() };
            self.entries.push(entry(input, section, at + 1, &item));
        }
    }

    /// The entries in their forms, or the text for an empty section.
    pub(crate) fn text(&self, shown: &[ShownForm]) -> Option<String> {
        if self.texts(shown).next().is_none() {
            return self.empty.clone();
        }
        let text = text::joined(self.texts(shown), "\n");
        Some(self.max_chars.map_or_else(|| text.clone(), |limit| text::excerpt(&text, limit)))
    }

    /// Place of the truncation marker in that text.
    fn marker(&self, shown: &[ShownForm]) -> Option<usize> {
        let cut = shown.iter().position(|shown| matches!(shown, ShownForm::Cut(_)))?;
        let before: usize = self.texts(&shown[..cut]).map(|text| text.len() + 1).sum();
        let ShownForm::Cut(ShortenedText { text, markers }) = &shown[cut] else { return None };
        let start = before + markers.first()?;
        // A character limit may have cut it off.
        let is_there =
            self.text(shown)?.get(start..before + text.len())? == &text[start - before..];
        is_there.then_some(start)
    }

    fn texts<'a>(&'a self, shown: &'a [ShownForm]) -> impl Iterator<Item = &'a str> {
        self.entries.iter().zip(shown).filter_map(|(entry, shown)| match shown {
            ShownForm::Full => Some(entry.full.as_str()),
            ShownForm::Summary => entry.summary.as_deref(),
            ShownForm::Cut(cut) => Some(&cut.text),
            ShownForm::Out => None,
        })
    }

    /// The pieces of the section in these forms.
    pub(crate) fn pieces(&self, input: &Input, fill: &mut Fill, shown: &[ShownForm]) -> Vec<Piece> {
        let Some(section) = input.config.sections().get(self.section) else {
            return Vec::new();
        };
        let role = section.role.unwrap_or(Role::System);
        let is_separate = section.separate && input.config.render.format == Format::Messages;
        let marker = self.marker(shown).filter(|_| !is_separate);
        let mut texts: Vec<String> = Vec::new();
        if is_separate {
            let mut room = self.max_chars.unwrap_or(usize::MAX);
            for text in self.texts(shown) {
                let cut = text::excerpt(text, room);
                room -= cut.chars().count();
                texts.extend((!cut.is_empty()).then_some(cut));
            }
            if texts.is_empty() {
                texts.extend(self.empty.clone());
            }
        } else {
            texts.extend(self.text(shown).filter(|text| !text.is_empty()));
        }
        let made = fill.made.len();
        let pieces = texts.into_iter().map(|text| fill.make(self.section, role, text)).collect();
        if let (Some(_), Some(made)) = (marker, fill.made.get_mut(made)) {
            made.marker = marker;
        }
        pieces
    }

    /// The contents of the section, for the result.
    pub(crate) fn report(
        &self,
        view: View<'_>,
        shown: &[ShownForm],
        pieces: &[Piece],
    ) -> SectionReport {
        let is_there = !pieces.is_empty();
        let is_cut = pieces.iter().any(|piece| view.shortened_text(*piece).is_some());
        let section = &view.input.config.sections()[self.section];
        let is_list = matches!(section.kind, SectionKind::Items | SectionKind::Recall);
        let item = |(entry, shown): (&Entry, &ShownForm)| ItemReport {
            id: entry.id.clone(),
            form: if is_there { shown.form() } else { ItemForm::LeftOut },
        };
        let items = self.entries.iter().zip(shown).filter(|_| is_list).map(item).collect();
        SectionReport {
            id: section.id.clone(),
            kind: section.kind,
            text: if is_cut {
                let mut texts = text::JoinedText::by("\n");
                for piece in pieces {
                    texts.push(&view.text_of(*piece));
                }
                Some(texts.text())
            } else {
                self.text(shown).filter(|_| is_there)
            },
            items,
        }
    }

    /// All entries whole.
    pub(crate) fn full(&self) -> Vec<ShownForm> {
        vec![ShownForm::Full; self.entries.len()]
    }

    /// The entries by importance: by priority, then by place.
    fn by_importance(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        // The order of `f64::total_cmp`, the highest first.
        let place = |index: usize| {
            let bits = self.entries[index].priority.to_bits().cast_signed();
            !(bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed())
        };
        map::sort_by_key(&mut order, &|index| (place(index), 0));
        order
    }

    /// The smallest forms that show as many entries as fit. An entry with a summary is shown by it. If not all fit, the
    /// least important are left out. With `meter`, the first that doesn't fit is cut instead.
    pub(crate) fn least(
        &self,
        meter: Option<&Meter>,
        fits: &mut Fits<'_>,
    ) -> StageResult<Vec<ShownForm>> {
        let least = |entry: &Entry| match entry.summary {
            Some(_) => ShownForm::Summary,
            None => ShownForm::Full,
        };
        let all: Vec<ShownForm> = self.entries.iter().map(least).collect();
        let mut order = self.by_importance();
        let first = |count: usize| {
            let mut shown = vec![ShownForm::Out; all.len()];
            for index in &order[..count] {
                shown[*index] = all[*index].clone();
            }
            shown
        };
        // Finds by binary search how many fit. If a number fits, all smaller ones do too.
        let (mut fitting, mut failing) = (0, order.len() + 1);
        while fitting + 1 < failing {
            let middle = fitting.midpoint(failing);
            if fits(&first(middle))? {
                fitting = middle;
            } else {
                failing = middle;
            }
        }
        let mut shown = first(fitting);
        if let (Some(meter), Some(next)) = (meter, order.drain(..).nth(fitting))
            && all[next] == ShownForm::Full
        {
            shown[next] = self.cut(meter, next, &mut shown.clone(), fits)?;
        }
        Ok(shown)
    }

    /// Shows entries whole while they fit, the most important first. After the first one that doesn't fit, a few
    /// more are tried.
    pub(crate) fn enlarge(&self, shown: &mut [ShownForm], fits: &mut Fits<'_>) -> StageResult {
        const TRIED: usize = 32;
        let mut order = self.by_importance();
        order.retain(|index| shown[*index] == ShownForm::Summary);
        let (mut fitting, mut failing) = (0, order.len() + 1);
        while fitting + 1 < failing {
            let middle = fitting.midpoint(failing);
            let mut larger = shown.to_vec();
            for index in &order[..middle] {
                larger[*index] = ShownForm::Full;
            }
            if fits(&larger)? {
                fitting = middle;
            } else {
                failing = middle;
            }
        }
        for (position, index) in order.into_iter().enumerate().take(fitting + TRIED) {
            shown[index] = ShownForm::Full;
            if position >= fitting && !fits(shown)? {
                shown[index] = ShownForm::Summary;
            }
        }
        Ok(())
    }

    /// The longest beginning and end of an entry that fit, with a marker between them. The entry is left out if nothing
    /// fits.
    fn cut(
        &self,
        meter: &Meter,
        index: usize,
        shown: &mut [ShownForm],
        fits: &mut Fits<'_>,
    ) -> StageResult<ShownForm> {
        let Entry { full: text, indent, .. } = &self.entries[index];
        let token_count = meter.count(text)?;
        let mut longest = None;
        shorten::longest_fitting(text.chars().count(), &mut |length| {
            let mut cut = shorten::cut(text, &[], length, token_count, meter)?;
            cut.indent_after_markers(*indent);
            shown[index] = ShownForm::Cut(cut);
            let is_fitting = fits(shown)?;
            if is_fitting {
                longest = Some(shown[index].clone());
            }
            Ok(is_fitting)
        })?;
        Ok(longest.unwrap_or(ShownForm::Out))
    }
}

/// A limit, or the largest number if there is none.
pub(crate) fn count(limit: Option<u64>) -> usize {
    limit.map_or(usize::MAX, |limit| limit.try_into().unwrap_or(usize::MAX))
}

fn entry(input: &Input, section: &Section, number: usize, item: &Item) -> Entry {
    let template = section.item.as_deref().unwrap_or("{text}");
    let fill = |text: &str| {
        let text = form::guarded_item(&input.config, template, text);
        let source = item.source.as_deref().map(guard::collapse);
        template::fill(template, number, &text, source.as_deref(), item.score)
    };
    Entry {
        id: item.id.clone(),
        full: fill(&item.text),
        summary: item.summary.as_deref().map(fill),
        priority: item.priority.unwrap_or_default(),
        indent: form::item_indent(&input.config, template),
    }
}

/// A text with, without, or reduced to its front matter, which is between two lines of three hyphens at the beginning.
fn without_front_matter(text: &str, wanted: FrontMatter) -> &str {
    let inner = text.trim_start_matches('\u{feff}');
    let front = inner.strip_prefix("---").filter(|rest| rest.starts_with(['\n', '\r']));
    let end = front.and_then(|rest| {
        let begin = inner.len() - rest.len();
        let mut at = begin;
        for line in rest.split_inclusive('\n') {
            at += line.len();
            if line.trim_end() == "---" {
                return Some(at);
            }
        }
        None
    });
    match (end, wanted) {
        (Some(end), FrontMatter::Only) => inner[..end].trim_end(),
        (Some(end), FrontMatter::Omit) => inner[end..].trim_start_matches(['\n', '\r']),
        (None, _) | (_, FrontMatter::Keep) => text,
    }
}
