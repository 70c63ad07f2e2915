// An agent system's tasks as messages, by document 003.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildContextSync, presets } from "windrow";
import { messageOfTask, messagesOfTasks, queryLayer } from "windrow/tasks";

const convert = (action, parameters, more) => messageOfTask({ action, parameters, ...more });
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });

describe("a task as a message", () => {
  for (const [action, parameters, message] of [
    ["execute", { content: "Read file X" }, user("Read file X")],
    ["node.thinking", { content: "I need to..." }, assistant("I need to...")],
    ["node.tool_call", { tool_name: "read_file" }, assistant("[Calling read_file(...)]")],
    ["node.tool_call", { tool_name: "read_file", tool_args: {} }, assistant("[Calling read_file(...)]")],
    ["node.tool_call", { tool_name: "read_file", tool_args: null }, assistant("[Calling read_file(...)]")],
    ["node.tool_call", { tool_name: "read_file", tool_args: "" }, assistant("[Calling read_file(...)]")],
    [
      "node.tool_call",
      { tool_name: "read_file", tool_args: { path: "a.txt" } },
      assistant('[Calling read_file({"path":"a.txt"})]'),
    ],
    [
      "node.tool_call",
      { toolName: "read_file", toolArgs: '{"path":"a.txt"}' },
      assistant('[Calling read_file({"path":"a.txt"})]'),
    ],
    ["node.message", { content: "Please focus" }, assistant("[Direct message] Please focus")],
    ["node.delegation_request", { subtask: "Migrate" }, assistant("[Delegation request from unknown] Migrate")],
    ["node.tool_result", { content: "x" }, undefined],
    ["node.thinking", { content: "" }, undefined],
    ["execute", {}, undefined],
    ["execute", { content: 5 }, undefined],
    ["execute", undefined, undefined],
    ["execute", null, undefined],
    ["node.tool_call", {}, undefined],
    ["node.message", { content: "" }, undefined],
    ["node.delegation_request", { content: "x" }, undefined],
    ["unknown_action", { content: "x" }, undefined],
    ["", { content: "x" }, undefined],
  ]) {
    test(`${action} ${JSON.stringify(parameters)}`, () => {
      assert.deepEqual(convert(action, parameters), message);
    });
  }

  test("has the task's id, session, source and time, in either spelling", () => {
    const message = {
      id: "task-123",
      role: "user",
      content: "hi",
      source: "agent-a",
      sessionId: "session-1",
      createdAt: "2026-01-28T11:50:00Z",
    };
    const parameters = { content: "hi" };
    const createdAt = message.createdAt;
    assert.deepEqual(
      convert("execute", parameters, {
        id: "task-123",
        sessionId: "session-1",
        sourceAgent: "agent-a",
        targetAgent: "agent-b",
        createdAt,
      }),
      message,
      "only a direct message is for somebody",
    );
    assert.deepEqual(
      convert("execute", parameters, {
        task_id: "task-123",
        session_id: "session-1",
        source_agent: "agent-a",
        created_at: createdAt,
      }),
      message,
    );
  });

  test("a direct message has its target, priority and time to live", () => {
    const direct = (parameters, /** @type {object} */ more = { target_agent: "agent-b" }) => {
      const { target, priority, ttlSeconds } = convert("node.message", { content: "x", ...parameters }, more);
      return { target, priority, ttlSeconds };
    };
    assert.deepEqual(direct({ priority: 0.8, ttl_seconds: 600, target_node_id: "agent-b", parent_task_id: "t" }), {
      target: "agent-b",
      priority: 0.8,
      ttlSeconds: 600,
    });
    assert.deepEqual(direct({ target_node_id: "node-7", ttlSeconds: 0 }), {
      target: ["agent-b", "node-7"],
      priority: undefined,
      ttlSeconds: 0,
    });
    assert.deepEqual(direct({ targetNodeId: "node-7" }, {}).target, "node-7");
    assert.deepEqual(direct({}, { targetAgent: "agent-c" }).target, "agent-c");
    assert.deepEqual(direct({ priority: 0, ttl_seconds: null }), {
      target: "agent-b",
      priority: 0,
      ttlSeconds: undefined,
    });
    assert.equal(direct({ priority: 1 }).priority, 1);
    for (const priority of [-0.1, 1.1, 7, Number.NaN, Number.POSITIVE_INFINITY, "high", true, {}]) {
      const task = {
        action: "node.message",
        target_agent: "b",
        source_agent: "a",
        parameters: { content: "x", priority },
      };
      const path = "tasks[1].parameters.priority";
      const expected = { name: "ContextError", code: "INVALID_TRANSCRIPT", path };
      assert.throws(() => messagesOfTasks([{ action: "" }, task]), expected, String(priority));
    }
    for (const ttl_seconds of [-5, Number.NaN, "600"]) {
      assert.throws(() => direct({ ttl_seconds }), { code: "INVALID_TRANSCRIPT", path: "task.parameters.ttl_seconds" });
    }
  });

  test("keeps the parent task and the metadata unchanged", () => {
    const metadata = { reason: "handoff" };
    const tasks = ["node.message", "execute"].map((action) => ({
      action,
      source_agent: "a",
      target_agent: "b",
      parameters: { content: "x", parent_task_id: "task-123", metadata },
    }));
    const messages = messagesOfTasks(tasks);
    const { kept } = buildContextSync(messages, { ...presets.agent, encoding: "estimate", agentId: "b" });
    assert.equal(kept.length, 2);
    for (const message of /** @type {readonly any[]} */ (kept)) {
      assert.equal(message.parentTaskId, "task-123");
      assert.equal(message.metadata, metadata);
    }
  });

  test("lists keep their order, and tasks that aren't shown are left out", () => {
    const tasks = [
      { action: "execute", parameters: { content: "one" } },
      { action: "node.tool_call", parameters: { tool_name: "find", tool_args: { a: [1] } } },
      { action: "node.tool_result", parameters: { result: "much" } },
      { action: "node.thinking", parameters: { content: "two" } },
    ];
    assert.deepEqual(messagesOfTasks(tasks), [user("one"), assistant('[Calling find({"a":[1]})]'), assistant("two")]);
    assert.deepEqual(messagesOfTasks([]), []);
  });
});

describe("a lookup in a layer of memory", () => {
  const tasks = ["s1", "s2", "s1", undefined].map((session_id, position) => ({
    task_id: `t${position}`,
    action: "execute",
    parameters: { content: "x" },
    session_id,
  }));
  const found = (/** @type {Parameters<typeof queryLayer>} */ ...query) =>
    queryLayer(...query).map((/** @type {any} */ { task_id }) => task_id);

  test("keeps to the session, except for L4, and returns the newest", () => {
    for (const layer of /** @type {const} */ (["L1", "L2", "L3"])) {
      assert.deepEqual(found(layer, tasks, { sessionId: "s1" }), ["t0", "t2"]);
      assert.deepEqual(found(layer, tasks, { sessionId: "s1", limit: 1 }), ["t2"]);
      assert.deepEqual(found(layer, tasks), ["t0", "t1", "t2", "t3"]);
    }
    assert.deepEqual(found("L4", tasks, { sessionId: "s1", limit: 3 }), ["t1", "t2", "t3"]);
    assert.deepEqual(found("L4", tasks, { limit: 0 }), []);
    const messages = messagesOfTasks(tasks);
    assert.deepEqual(queryLayer("L2", messages, { sessionId: "s2" }), [messages[1]]);
  });

  test("returns nothing that has expired", () => {
    const at = (id, created_at, ttl_seconds) => ({
      task_id: id,
      action: "node.message",
      created_at,
      parameters: { ttl_seconds },
    });
    const entries = [
      at("old", "2026-01-28T11:49:59Z", 600),
      at("valid", "2026-01-28T11:50:00Z", 600),
      at("untimed", null, 9),
    ];
    assert.deepEqual(found("L1", entries, { now: "2026-01-28T12:00:00Z" }), ["valid"]);
  });

  test("fails on a wrong question", () => {
    for (const [path, query] of /** @type {[path: string, query: any][]} */ ([
      ["layer", ["L5", []]],
      ["entries", ["L1", null]],
      ["limit", ["L1", [], { limit: -1 }]],
    ])) {
      assert.throws(() => Reflect.apply(queryLayer, undefined, query), {
        name: "ContextError",
        code: "INVALID_TRANSCRIPT",
        path,
      });
    }
  });
});

describe("direct messages in a context", () => {
  const now = Date.UTC(2026, 0, 28, 12);
  const direct = (id, parameters, more) => ({
    id,
    action: "node.message",
    source_agent: "agent-a",
    target_agent: "agent-b",
    created_at: "2026-01-28T11:50:00Z",
    parameters: { content: id, ...parameters },
    ...more,
  });
  const idsOf = (tasks, agentId = "agent-b", more = {}) =>
    buildContextSync(messagesOfTasks(tasks), {
      ...presets.agent,
      encoding: "estimate",
      now,
      agentId,
      request: "Go on",
      ...more,
    }).kept.map(({ id }) => id);

  test("are those for the agent, or its node", () => {
    const tasks = [
      direct("agent", {}),
      direct("node", { target_node_id: "node-7" }),
      direct("other", {}, { target_agent: "agent-c" }),
    ];
    assert.deepEqual(idsOf(tasks).sort(), ["agent", "node"]);
    assert.deepEqual(idsOf(tasks, "node-7"), ["node"]);
    assert.deepEqual(idsOf(tasks, "agent-c"), ["other"]);
  });

  test("come by priority, highest first, then newest, while they are valid", () => {
    const tasks = [
      direct("low", { priority: 0.1 }),
      direct("default", {}),
      direct("high", { priority: 0.9 }),
      direct("newer", {}, { created_at: "2026-01-28T11:55:00Z" }),
      direct("expired", { priority: 1, ttl_seconds: 599 }),
      direct("just valid", { priority: 0.6, ttl_seconds: 600 }),
    ];
    assert.deepEqual(idsOf(tasks), ["high", "just valid", "newer", "default", "low"]);
  });

  test("the session of the current task scopes what is read", () => {
    const tasks = [direct("mine", {}, { session_id: "s1" }), direct("theirs", {}, { session_id: "s2" })];
    const request = messageOfTask({ action: "execute", parameters: { content: "Go on" }, session_id: "s1" });
    assert.deepEqual(idsOf(tasks, "agent-b", { request }), ["mine"]);
    assert.deepEqual(idsOf(tasks, "agent-b", { request, sessionId: "s2" }), ["theirs"], "the config is stronger");
  });

  test("of another session are left out", () => {
    const tasks = [
      direct("mine", {}, { session_id: "s1" }),
      direct("theirs", {}, { session_id: "s2" }),
      direct("nobody's", {}),
    ];
    assert.deepEqual(idsOf(tasks, "agent-b", { sessionId: "s1" }), ["mine"]);
    assert.deepEqual(idsOf(tasks).length, 3);
  });
});
