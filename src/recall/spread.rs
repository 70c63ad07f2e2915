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

impl Kernel {
    /// The scores with what they get from others of their conversation; `starts` says where a conversation begins.
    pub(crate) fn spread(self, scores: &[f32], starts: &[bool]) -> Vec<f32> {
        let mut spread = scores.to_vec();
        let mut carried = 0.0;
        for (at, score) in scores.iter().enumerate() {
            if starts[at] {
                carried = 0.0;
            }
            spread[at] += self.forward * carried;
            carried = carried * self.decay + score;
        }
        carried = 0.0;
        for (at, score) in scores.iter().enumerate().rev() {
            spread[at] += self.backward * carried;
            carried = if starts[at] { 0.0 } else { carried * self.decay + score };
        }
        spread
    }
}

/// Divides by the largest, so that parts of a score can be weighed against each other.
pub(crate) fn normalized(mut scores: Vec<f32>) -> Vec<f32> {
    let most = scores.iter().fold(0.0_f32, |most, score| most.max(*score));
    if most > 0.0 {
        for score in &mut scores {
            *score /= most;
        }
    }
    scores
}
