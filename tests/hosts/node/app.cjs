const { buildContext, memoryStore, openSession } = require("windrow");
const { outcomeOf } = require("../shared/conversation.js");

outcomeOf({ buildContext, openSession }, memoryStore()).then((outcome) => console.log(JSON.stringify(outcome)));
