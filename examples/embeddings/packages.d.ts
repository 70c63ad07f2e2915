// What the example uses of transformers.js, so that its types are checked without the package. Not needed beside it.

declare module "@huggingface/transformers" {
  /** A model's output: numbers in so many dimensions. */
  export interface Tensor {
    tolist(): number[][];
  }

  export type FeatureExtraction = (
    texts: string[],
    options: { readonly pooling: "mean" | "cls"; readonly normalize: boolean },
  ) => Promise<Tensor>;

  export function pipeline(task: "feature-extraction", model: string): Promise<FeatureExtraction>;
}
