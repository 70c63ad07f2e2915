use crate::base::value::{FromValue, Reading, Value, read_choice};
use crate::tokens::EncodingName;
use serde::{Serialize, Serializer};

/// How tokens are counted: exactly in a named encoding, or by `estimate`, which needs no vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingChoice {
    /// Exactly, in this encoding.
    Exact(EncodingName),
    /// By estimate, without a vocabulary.
    Estimate,
}

const COUNT: usize = EncodingName::ALL.len() + 1;

impl EncodingChoice {
    /// The choice if neither a model nor an encoding is named.
    pub const DEFAULT: Self = Self::Exact(EncodingName::ALL[0]);

    /// Every choice: the encodings, then the estimate.
    pub const ALL: [Self; COUNT] = {
        let mut all = [Self::Estimate; COUNT];
        let mut at = 0;
        while at < EncodingName::ALL.len() {
            all[at] = Self::Exact(EncodingName::ALL[at]);
            at += 1;
        }
        all
    };

    const NAMES: [&'static str; COUNT] = {
        let mut names = [""; COUNT];
        let mut at = 0;
        while at < COUNT {
            names[at] = Self::ALL[at].as_str();
            at += 1;
        }
        names
    };

    /// The name of the choice in a config.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact(name) => name.as_str(),
            Self::Estimate => "estimate",
        }
    }

    /// The exact encoding that was chosen, if one was.
    #[must_use]
    pub fn exact(self) -> Option<EncodingName> {
        match self {
            Self::Exact(name) => Some(name),
            Self::Estimate => None,
        }
    }
}

impl Serialize for EncodingChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl FromValue for EncodingChoice {
    fn from_value(value: &Value) -> Reading<Self> {
        Ok(Self::ALL[read_choice(value, &Self::NAMES)?])
    }
}

#[cfg(test)]
impl schemars::JsonSchema for EncodingChoice {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EncodingChoice".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let variant = |choice: Self| {
            let about = match choice {
                Self::Exact(_) => "Exactly, in this encoding.",
                Self::Estimate => "By estimate, with no vocabulary.",
            };
            serde_json::json!({ "type": "string", "const": choice.as_str(), "description": about })
        };
        schemars::json_schema!({
            "description": "How tokens are counted: exactly, in an encoding by its name, or by `estimate`, with no vocabulary.",
            "oneOf": Self::ALL.map(variant),
        })
    }
}
