// Messages that Cline and Roo Code show, `ui_messages.json`: rows `{ ts, type: "say" | "ask", say | ask, text }`. The
// request to the model is in `api_conversation_history.json`, which has more. This file has results only of commands
// and MCP. Other calls become a line of text. The types are those of `ClineMessage` in cline/cline
// (src/shared/ExtensionMessage.ts) and RooCodeInc/Roo-Code (packages/types).

import type { PartInput } from "../../../message/message.js";
import { listIn, type Row, recordIn, textIn } from "../../file.js";
import { contentOf, fileLine, filePart, textPart } from "../../parts.js";
import type { AppStep, KindReader } from "../../readers.js";
import { tryParse } from "../../text.js";
import { clineKind } from "./kind.js";

export const cline: KindReader = {
  kind: clineKind,
  rowReader() {
    const calls: OpenCall = { open: undefined, isAnswered: false };
    let isFirst = true;
    return (row) => {
      const step = stepOf(row, isFirst, calls);
      isFirst = false;
      return step;
    };
  },
};

/** Rows by the user, and rows by the model. The first text of a task is the user's. */
const USER: ReadonlySet<unknown> = new Set(["task", "user_feedback", "user_feedback_diff"]);
const MODEL: ReadonlySet<unknown> = new Set([
  "text",
  "completion_result",
  "followup",
  "plan_mode_respond",
  "act_mode_respond",
  "mistake_limit_reached",
]);
const RESULTS: ReadonlySet<unknown> = new Set(["command_output", "mcp_server_response", "browser_action_result"]);
/** Marks that Cline appends to a text for its own use. */
const MARKS = /(?:REQ_APP|HAS_CHANGES)$/;
/** Rows that aren't part of the conversation: the program's requests, states and questions. */
const SILENT: ReadonlySet<unknown> = new Set([
  ...[
    "api_req_started",
    "api_req_finished",
    "api_req_retried",
    "api_req_retry_delayed",
    "api_req_deleted",
    "api_req_failed",
  ],
  ...[
    "checkpoint_created",
    "checkpoint_saved",
    "resume_task",
    "resume_completed_task",
    "shell_integration_warning",
    "info",
  ],
  ...[
    "mcp_server_request_started",
    "mcp_server_request",
    "command_output_ask",
    "auto_approval_max_req_reached",
    "clineignore_error",
  ],
  ...[
    "task_progress",
    "load_mcp_documentation",
    "deleted_api_reqs",
    "diff_error",
    "error",
    "rooignore_error",
    "new_task_started",
    "error_retry",
  ],
  ...[
    "hook_status",
    "hook_output_stream",
    "conditional_rules_applied",
    "subagent_usage",
    "shell_integration_warning_with_suggestion",
    "command_permission_denied",
    "api_req_rate_limited",
    "condense_context_error",
    "browser_session_status",
  ],
]);

/** The id of the newest call. A command may print several times, until the next row of the conversation. */
interface OpenCall {
  open: string | undefined;
  isAnswered: boolean;
}

function stepOf(row: Row, isFirst: boolean, calls: OpenCall): AppStep {
  const { ts, type, text, images, files, partial } = row;
  const kind = type === "say" ? row.say : row.ask;
  const head = { createdAt: ts };
  const said = textIn(typeof text === "string" ? text.replace(MARKS, "") : text);
  const named = listIn(files).map(fileLine);
  const pictures = listIn(images).flatMap((image) => filePart("image", image));
  const thoughts = [kind === "reasoning" ? said : textIn(row.reasoning)].flatMap((thought) =>
    thought === undefined ? [] : [{ ...head, role: "assistant", content: [{ type: "reasoning", text: thought }] }],
  );
  if (partial === true || kind === undefined) {
    return { messages: [], faults: [partial === true ? "partial: the row was not finished" : "a row without a kind"] };
  }
  if (RESULTS.has(kind) && calls.open !== undefined) {
    const toolCallId = calls.open;
    if (calls.isAnswered && said === undefined) {
      return { messages: [] };
    }
    calls.isAnswered = true;
    return {
      messages: [{ ...head, role: "tool", content: [{ type: "tool-result", toolCallId, output: said ?? "" }] }],
    };
  }
  if (!SILENT.has(kind)) {
    calls.open = undefined;
  }
  if (kind === "command" || kind === "use_mcp_server") {
    const call = callOf(kind, said, Number(ts));
    calls.open = call.toolCallId;
    calls.isAnswered = false;
    return { messages: [{ ...head, role: "assistant", content: [call] }] };
  }
  if (kind === "tool") {
    return { messages: [{ ...head, role: "assistant", content: `[${actionOf(said)}]` }] };
  }
  if (kind === "reasoning") {
    return { messages: thoughts };
  }
  const isUser = USER.has(kind) || (isFirst && kind === "text");
  if (isUser || MODEL.has(kind)) {
    const lines = [isUser ? said : questionIn(said), ...named].filter((line) => line !== undefined);
    const parts = [...textPart(lines.join("\n")), ...pictures];
    const message = { ...head, role: isUser ? "user" : "assistant", content: contentOf(parts) };
    return { messages: [...thoughts, ...(parts.length === 0 ? [] : [message])] };
  }
  return {
    messages: [],
    isSaid: false,
    ...(SILENT.has(kind) ? {} : { faults: [`${String(kind)}: the row is not read`] }),
  };
}

function callOf(kind: unknown, said: string | undefined, ts: number): PartInput & { readonly type: "tool-call" } {
  const given = recordIn(tryParse(said ?? "").value);
  const isServer = kind === "use_mcp_server";
  const toolName = isServer ? (textIn(given.toolName) ?? "use_mcp_server") : "execute_command";
  const input = isServer ? given : { command: said ?? "" };
  return { type: "tool-call", toolCallId: `call-${ts}`, toolName, input };
}

/** Describes a use of a tool: its name and its target. */
function actionOf(said: string | undefined): string {
  const { tool, path, regex, query } = recordIn(tryParse(said ?? "").value);
  return [textIn(tool) ?? "tool", textIn(path), textIn(regex) ?? textIn(query)]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** Returns a question to the user with the answers it offers, or a text. */
function questionIn(said: string | undefined): string | undefined {
  const { question, response, options, suggest } = recordIn(said?.startsWith("{") ? tryParse(said).value : undefined);
  const asked = textIn(question) ?? textIn(response);
  const choices = [...listIn(options), ...listIn(suggest)].map(
    (choice) => textIn(choice) ?? textIn(recordIn(choice).answer),
  );
  return asked === undefined
    ? said
    : [asked, ...choices.flatMap((choice) => (choice === undefined ? [] : [`- ${choice}`]))].join("\n");
}
