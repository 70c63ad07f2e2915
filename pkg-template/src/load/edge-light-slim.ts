// workerd-slim.ts for Vercel's edge runtime. The bundle includes code that inflates a vocabulary, because the host may
// have none.

import { provideFflate } from "./inflate.js";

provideFflate();

export * from "./workerd-slim.js";
