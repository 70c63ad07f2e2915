// The part of transformers.js that the example uses, so its types can be checked without the package. Not needed if the
// package is installed.

declare module "@huggingface/transformers" {
  /** A model's output, as numbers in several dimensions. */
  export interface Tensor {
    tolist(): number[][];
  }

  export type FeatureExtraction = (
    texts: string[],
    options: { readonly pooling: "mean" | "cls"; readonly normalize: boolean },
  ) => Promise<Tensor>;

  export function pipeline(task: "feature-extraction", model: string): Promise<FeatureExtraction>;
}
