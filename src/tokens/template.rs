//! Chat templates: the marks and texts that a server writes around messages and tools, as data.
//!
//! Sources: for Gemini, Google's `countTokens`. For the others, `chat_template` in the `tokenizer_config.json` of the
//! packages in `tests/tokenizers/references.mjs`, which `npm run tokenizers` compares with. For DeepSeek V3.1, the file
//! in the source distribution of `llama-cpp-python` 0.3.36.

use super::model::{Family, Tokenizer};
use crate::base::message::Role;

/// A special token in a frame, which always counts as one.
pub(crate) const MARK: char = '◆';
/// Splits a frame into texts that are counted separately. In the frame of a result, its content is here.
pub(crate) const SPLIT: char = '│';
/// A place in a frame: the name of a call, or a definition.
pub(crate) const FIRST: char = '①';
/// The arguments of a call.
pub(crate) const SECOND: char = '②';
/// The id of a call, of nine characters.
pub(crate) const ID: char = '③';

/// A chat template.
#[derive(Debug)]
pub(crate) struct Template {
    /// The marks of a message, in tokens.
    pub(crate) message: u64,
    /// The marks that start the text and the reply, in tokens.
    pub(crate) priming: u64,
    /// The marks that messages of the user, the assistant and a tool have besides `message`, in tokens. None if the
    /// role is a word of the text.
    marks: Option<[u64; 3]>,
    /// The word for the role of a tool's result.
    tool: &'static str,
    /// A text before the instructions.
    pub(crate) header: &'static str,
    /// The text of the instructions in a chat that has none. None if it has no such message.
    pub(crate) default: Option<&'static str>,
    /// The frames of tools. None if the template has none for calls.
    pub(crate) tools: Option<ToolFrames>,
}

/// The texts around tools, with the characters above.
#[derive(Debug)]
pub(crate) struct ToolFrames {
    /// The text around all definitions.
    pub(crate) all: &'static str,
    /// True if this text is part of the instructions. A chat without any has a message for it.
    pub(crate) in_instructions: bool,
    /// The text around a definition.
    pub(crate) each: &'static str,
    /// True if a definition is JSON of several lines, with four spaces a level.
    pub(crate) is_indented: bool,
    /// A call.
    pub(crate) call: &'static str,
    /// A result, besides the envelope of its message.
    pub(crate) result: &'static str,
    /// True if a result is written as a JSON string.
    pub(crate) is_escaped: bool,
}

impl Template {
    /// The template of a model. An unknown version counts as the newest. None if OpenAI's recipe for counting applies.
    pub(crate) fn of(family: Family, model: Option<&str>) -> Option<&'static Self> {
        let name = || model.unwrap_or_default().to_ascii_lowercase();
        Some(match family {
            Family::Gemini(version) if version < (2, 5) => &GEMINI_2,
            Family::Gemini(_) => &GEMINI,
            Family::Other(Tokenizer::Qwen) if is_qwen_2(&name()) => &QWEN_2,
            Family::Other(Tokenizer::Qwen) => &QWEN,
            Family::Other(Tokenizer::Llama3) if is_llama_3_0(&name()) => &LLAMA_3,
            Family::Other(Tokenizer::Llama3) => &LLAMA_3_1,
            Family::Other(Tokenizer::DeepseekV3) if is_deepseek_v3_0(&name()) => &DEEPSEEK_V3,
            Family::Other(Tokenizer::DeepseekV3) => &DEEPSEEK_V3_1,
            Family::Other(Tokenizer::Tekken) => &TEKKEN,
            _ => return None,
        })
    }

    /// The marks that a message of a role has besides `message`, in tokens, or the word for the role.
    pub(crate) fn role(&self, role: Role) -> Result<u64, &'static str> {
        match (self.marks, role) {
            (Some(_), Role::System | Role::Developer) => Ok(0),
            (Some([user, ..]), Role::User) => Ok(user),
            (Some([_, assistant, _]), Role::Assistant) => Ok(assistant),
            (Some([.., tool]), Role::Tool) => Ok(tool),
            (None, Role::Tool) => Err(self.tool),
            (None, _) => Err(role.as_str()),
        }
    }
}

/// True for Qwen 1 to 2.5.
fn is_qwen_2(name: &str) -> bool {
    let version = after(name, "qwen").map(|rest| rest.trim_start_matches(['-', '_']));
    version.is_some_and(|rest| rest.starts_with(['1', '2']))
}

/// True for Llama 3, without the versions from 3.1 on.
fn is_llama_3_0(name: &str) -> bool {
    let rest = after(name, "llama-3").or_else(|| after(name, "llama3"));
    rest.is_some_and(|rest| !begins_with_minor(rest))
}

/// True for `DeepSeek` up to V3 and R1.
fn is_deepseek_v3_0(name: &str) -> bool {
    let is_v3 = after(name, "v3").is_some_and(|rest| !begins_with_minor(rest));
    is_v3 || name.contains("v2") || name.contains("r1")
}

fn after<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    name.rsplit_once(word).map(|(_, rest)| rest)
}

/// True if a name goes on with one digit, as in `.1` or `-1-8b`, which isn't a size such as `-8b`.
fn begins_with_minor(rest: &str) -> bool {
    let mut letters = rest.chars();
    letters.next().is_some_and(|letter| matches!(letter, '.' | '-' | '_' | 'p'))
        && letters.next().is_some_and(|digit| matches!(digit, '1'..='9'))
        && letters.next().is_none_or(|letter| !letter.is_ascii_alphanumeric())
}

const GEMINI_2: Template = Template {
    message: 0,
    priming: 0,
    marks: Some([0; 3]),
    tool: "",
    header: "",
    default: None,
    tools: None,
};

const GEMINI: Template = Template { message: 1, ..GEMINI_2 };

const QWEN: Template = Template {
    message: 4,
    priming: 3,
    marks: None,
    tool: "user",
    header: "",
    default: None,
    tools: Some(ToolFrames {
        all: "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with \
              function signatures within <tools></tools> XML tags:\n<tools>①\n</tools>\n\nFor each function call, \
              return a json object with function name and arguments within ◆◆ XML tags:\n◆\n{\"name\": \
              <function-name>, \"arguments\": <args-json-object>}\n◆",
        in_instructions: true,
        each: "\n①",
        is_indented: false,
        call: "\n◆\n{\"name\": \"①\", \"arguments\": ②}\n◆",
        result: "◆\n│\n◆",
        is_escaped: false,
    }),
};

const QWEN_2: Template = Template {
    default: Some("You are Qwen, created by Alibaba Cloud. You are a helpful assistant."),
    tools: match QWEN.tools {
        Some(frames) => {
            Some(ToolFrames { result: "<tool_response>\n│\n</tool_response>", ..frames })
        }
        None => None,
    },
    ..QWEN
};

const LLAMA_3: Template = Template {
    message: 4,
    priming: 5,
    marks: None,
    tool: "tool",
    header: "",
    default: None,
    tools: None,
};

const LLAMA_3_1: Template = Template {
    tool: "ipython",
    // Every date has as many tokens as this one, which is the template's own.
    header: "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n",
    default: Some(""),
    tools: Some(ToolFrames {
        all: "Environment: ipython\n│Given the following functions, please respond with a JSON for a function call with \
              its proper arguments that best answers the given prompt.\n\nRespond in the format {\"name\": function \
              name, \"parameters\": dictionary of argument name and its value}.Do not use variables.\n\n①",
        in_instructions: false,
        each: "①\n\n",
        is_indented: true,
        call: "{\"name\": \"①\", \"parameters\": ②}",
        result: "",
        is_escaped: true,
    }),
    ..LLAMA_3
};

const DEEPSEEK_V3: Template = Template {
    message: 0,
    priming: 2,
    marks: Some([1, 2, 3]),
    tool: "",
    header: "",
    default: None,
    // The template has no definitions. The first call of a message has two marks fewer at its end, and one at its
    // beginning instead of the line end.
    tools: Some(ToolFrames {
        all: "①",
        in_instructions: false,
        each: "①",
        is_indented: false,
        call: "\n◆function◆①\n```json\n②\n```◆◆◆",
        result: "",
        is_escaped: false,
    }),
};

const DEEPSEEK_V3_1: Template = Template {
    priming: 4,
    marks: Some([1, 4, 2]),
    tools: match DEEPSEEK_V3.tools {
        Some(frames) => Some(ToolFrames { call: "◆①◆②◆◆◆", ..frames }),
        None => None,
    },
    ..DEEPSEEK_V3
};

const TEKKEN: Template = Template {
    message: 1,
    priming: 1,
    marks: Some([1, 0, 1]),
    tool: "",
    header: "",
    default: None,
    tools: Some(ToolFrames {
        all: "◆[①]◆",
        in_instructions: false,
        each: "①, ",
        is_indented: false,
        call: "◆[{\"name\": \"①\", \"arguments\": ②, \"id\": \"③\"}]",
        result: "◆{\"content\": │, \"call_id\": \"③\"}",
        is_escaped: false,
    }),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_their_templates() {
        let cases: [(&Template, &[&str]); 7] = [
            (
                &QWEN_2,
                &["qwen2.5:7b", "Qwen/Qwen2.5-Coder-32B", "qwen-2.5-72b-instruct", "qwen2-7b"],
            ),
            (
                &QWEN,
                &["qwen3-8b", "Qwen/Qwen3-235B-A22B", "qwen-max", "deepseek-r1-distill-qwen-7b"],
            ),
            (&LLAMA_3, &["llama3", "llama3:8b", "meta-llama/Meta-Llama-3-70B-Instruct"]),
            (&LLAMA_3_1, &["llama3.2:1b", "Llama-3.3-70B", "meta.llama3-1-8b-instruct-v1:0"]),
            (&DEEPSEEK_V3, &["deepseek-v3", "deepseek-chat-v3-0324", "deepseek-r1-0528"]),
            (&DEEPSEEK_V3_1, &["deepseek-v3.1-terminus", "deepseek-chat", "deepseek-v3p1"]),
            (&TEKKEN, &["mistral-nemo", "open-mistral-nemo-2407"]),
        ];
        for (template, names) in cases {
            for name in names {
                let found = Template::of(Family::of(name), Some(name)).expect("an open model");
                assert_eq!(format!("{found:?}"), format!("{template:?}"), "{name}");
            }
        }
        let unnamed = Template::of(Family::Other(Tokenizer::Llama3), None).expect("a template");
        assert_eq!(unnamed.tool, "ipython");
        assert!(Template::of(Family::of("gpt-4o"), Some("gpt-4o")).is_none());
    }
}
