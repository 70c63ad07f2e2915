// Every check of the suite fails if its condition is violated.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cases } from "./cases.mjs";
import { checks } from "./checks.mjs";

const user = { id: "u", role: "user", text: "Which boat?" };
const call = { id: "c", role: "assistant", calls: [{ id: "1", name: "f", input: {} }] };
const thought = { ...call, reasoning: "It wants the boat." };
const result = { id: "r", role: "tool", answers: "1", text: "Boat 7." };
const reply = { id: "a", role: "assistant", text: "Boat 7." };
const system = { id: "s", role: "system", text: "Be brief." };

/** For each check, a passing and a failing example: the case, and the sent messages. */
const examples = {
  "results have their calls": [
    [{}, [call, result]],
    [{}, [user, result]],
  ],
  "calls have their results": [
    [{}, [call, result]],
    [{}, [user, call]],
  ],
  "it is within the limit": [
    [{ maxTokens: 20 }, [user]],
    [{ maxTokens: 8 }, [user]],
  ],
  "the limit is made use of": [
    [{ maxTokens: 9, messages: [user] }, [user]],
    [{ maxTokens: 20, messages: [user, reply, reply] }, []],
  ],
  "the request is there": [
    [{ request: "u" }, [user]],
    [{ request: "u" }, [reply]],
  ],
  "what answers the request is there": [
    [{ inTurn: ["c"] }, [user, call]],
    [{ inTurn: ["c", "r"] }, [user, call]],
  ],
  "instructions are there": [
    [{ messages: [system] }, [system]],
    [{ messages: [system, user] }, [user]],
  ],
  "the user speaks first": [
    [{}, [system, user]],
    [{}, [system, reply, user]],
  ],
  "nothing is empty": [
    [{}, [user]],
    [{}, [user, { id: "e", role: "assistant", text: " " }]],
  ],
  "it ends with the user or a tool": [
    [{}, [call, result]],
    [{}, [user, reply]],
  ],
  "the message that another one replies to is there": [
    [{ repliedTo: "a" }, [reply]],
    [{ repliedTo: "a" }, [user]],
  ],
  "reasoning goes with its call": [
    [{}, [thought, result]],
    [{}, [{ id: "c", role: "assistant", reasoning: "It wants." }]],
  ],
  "reasoning is kept with a call of the current turn": [
    [{ inTurn: ["c"], messages: [thought] }, [thought]],
    [{ inTurn: ["c"], messages: [thought] }, [call]],
  ],
  "the order is kept": [
    [{ messages: [user, reply] }, [user, reply]],
    [{ messages: [user, reply] }, [reply, user]],
  ],
  "the given messages don't change": [
    [{}, []],
    [{ changed: "the given messages were changed" }, []],
  ],
  "counting follows the length": [
    [{ counted: 8, messages: [user] }, []],
    [{ counted: 9, messages: [user] }, []],
  ],
  "a second build returns the same": [
    [{}, []],
    [{ again: "another result" }, []],
  ],
  "the old fact is there": [
    [{ fact: "u" }, [user]],
    [{ fact: "u" }, [reply]],
  ],
  "speakers are told apart": [
    [{ messages: [{ ...user, name: "Mira" }] }, [{ ...user, name: "Mira" }]],
    [{ messages: [{ ...user, name: "Mira" }] }, [user]],
  ],
  "pinned messages are there": [
    [{ pinned: ["u"] }, [user]],
    [{ pinned: ["u"] }, [reply]],
  ],
};

for (const [name, check] of Object.entries(checks)) {
  test(name, () => {
    const [right, wrong] = examples[name];
    assert.ok(!check(...right), check(...right));
    assert.equal(typeof check(...wrong), "string");
  });
}

test("at least sixty reports occur, each once, and every check is used", () => {
  const references = cases.map(({ reference }) => reference);
  assert.ok(references.length >= 60);
  assert.equal(new Set(references).size, references.length);
  assert.ok(references.every((reference) => /^[\w.-]+(?:\/[\w.-]+)?#\d+$/.test(reference)));
  assert.deepEqual([...new Set(cases.flatMap(({ holds }) => holds))].sort(), Object.keys(checks).sort());
});
