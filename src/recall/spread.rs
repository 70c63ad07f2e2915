//! What a message scores spreads to those around it: an answer seldom repeats the words of the question.

use super::index::IS_START;

/// How far, and how much of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    /// What the next message gets of it.
    pub(crate) forward: f32,
    /// What the message before gets of it.
    pub(crate) backward: f32,
    /// What is left of that with every further message.
    pub(crate) decay: f32,
}

/// A part of the scores, and the largest of it: parts are weighed against each other as shares of their largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) scores: Vec<f32>,
    most: f32,
}

impl Part {
    pub(crate) fn of(scores: Vec<f32>) -> Self {
        let most = scores.iter().fold(0.0_f32, |most, score| most.max(*score));
        Self { scores, most }
    }

    /// Adds it to a total, its largest as `weight`.
    pub(crate) fn add_to(&self, total: &mut [f32], weight: f32) {
        if self.most > 0.0 {
            let weight = weight / self.most;
            for (total, score) in total.iter_mut().zip(&self.scores) {
                *total += weight * score;
            }
        }
    }
}

impl Kernel {
    /// The scores with what they get from others of their conversation; `flags` say where one begins.
    pub(crate) fn spread(self, scores: &[f32], flags: &[u8]) -> Part {
        let mut spread = vec![0.0; scores.len()];
        let mut most = 0.0;
        let mut first = 0;
        while first < scores.len() {
            let next = flags[first + 1..].iter().position(|flags| flags & IS_START != 0);
            let end = next.map_or(scores.len(), |next| first + 1 + next);
            let scores = &scores[first..end];
            // Most conversations are not about it.
            if scores.iter().any(|score| *score > 0.0) {
                most = self.spread_conversation(scores, &mut spread[first..end], most);
            }
            first = end;
        }
        Part { scores: spread, most }
    }

    /// Writes the spread of a conversation, and gives the largest of it and `most`.
    fn spread_conversation(self, scores: &[f32], spread: &mut [f32], mut most: f32) -> f32 {
        let mut carried = 0.0;
        for (spread, score) in spread.iter_mut().zip(scores) {
            *spread = score + self.forward * carried;
            carried = carried * self.decay + score;
        }
        carried = 0.0;
        for (spread, score) in spread.iter_mut().zip(scores).rev() {
            let all = *spread + self.backward * carried;
            *spread = all;
            most = if all > most { all } else { most };
            carried = carried * self.decay + score;
        }
        most
    }
}
