// The same with an entry that fetches its vocabularies: in a bundle without chunks, Rollup runs them after this.

import { buildContext } from "windrow";
import { contextOf } from "../../shared/conversation.js";

window.outcome = await contextOf({ buildContext }).catch(({ code, cause }) => ({ code, cause: String(cause.cause) }));
