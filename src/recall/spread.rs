//! What a message scores spreads to those around it: an answer seldom repeats the words of the question.

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
    /// The scores with what they get from others of their conversation; `starts` says where a conversation begins.
    pub(crate) fn spread(self, scores: &[f32], starts: &[bool]) -> Part {
        let mut carried = 0.0;
        let forward = scores.iter().zip(starts).map(|(score, is_start)| {
            if *is_start {
                carried = 0.0;
            }
            let spread = score + self.forward * carried;
            carried = carried * self.decay + score;
            spread
        });
        let mut spread: Vec<f32> = forward.collect();
        let mut carried = 0.0;
        let mut most = 0.0_f32;
        let backward = spread.iter_mut().zip(scores).zip(starts).rev();
        for ((spread, score), is_start) in backward {
            *spread += self.backward * carried;
            most = most.max(*spread);
            carried = if *is_start { 0.0 } else { carried * self.decay + score };
        }
        Part { scores: spread, most }
    }
}
