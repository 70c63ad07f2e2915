// Runs in a program whose only store is memory, and prints the outcome.

import { buildContext, memoryStore, openSession } from "windrow";
import { outcomeOf } from "./conversation.js";

console.log(JSON.stringify(await outcomeOf({ buildContext, openSession }, memoryStore())));
