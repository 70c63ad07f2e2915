// As workerd-slim.ts, for Vercel's edge runtime: what inflates a vocabulary is in the bundle, as the host may have nothing that does.

import { provideFflate } from "./inflate.js";

provideFflate();

export * from "./workerd-slim.js";
