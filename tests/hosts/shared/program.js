// What a program runs that has no store of its own but memory: it prints the outcome.

import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "./conversation.js";

console.log(JSON.stringify(await outcomeOf({ buildContext, openSession }, memoryStore())));
