// Messages of Ollama: OpenAI's chat messages, with images next to the content. Its calls have no ids, so their names
// serve as ids.
//
// Recognized by: `images`, and calls without ids.

import type { Dialect } from "../../message/dialect.js";
import { recordOf } from "../../message/format.js";
import { list } from "../../message/malformed.js";
import { mediaPart } from "../../message/parts.js";

export const ollama: Dialect = {
  fields: ["images"],
  toolFields: [],
  mediaFields: ["images"],
  parts: {},
  beside({ images }) {
    return !Array.isArray(images)
      ? undefined
      : {
          said: list(images, ".images").map((image, at) => {
            const place = `.images[${at}]`;
            const isData = typeof image === "string" || image instanceof Uint8Array;
            return {
              part: mediaPart(isData ? { data: image } : recordOf(image), "image", place),
              given: undefined,
              place,
            };
          }),
        };
  },
};
