import { buildContext } from "windrow";
import { contextOf } from "../../../../shared/conversation.js";

window.outcome = contextOf({ buildContext }).then((context) => ({ context }));
