// Runs in a bundled page: uses the browser's store, and imports the package by its name.

import { buildContext, openSession } from "windrow";
import { indexedDbStore } from "windrow/stores/indexeddb";
import { outcomeOf } from "./conversation.js";

window.outcome = outcomeOf({ buildContext, openSession }, indexedDbStore());
