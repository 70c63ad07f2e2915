import { buildContext, memoryStore, openSession } from "windrow/module";
import { outcomeOf } from "../shared/conversation.js";

console.log(JSON.stringify(await outcomeOf({ buildContext, openSession }, memoryStore())));
