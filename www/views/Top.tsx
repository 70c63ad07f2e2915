// The top bar: the source of the conversation on the left, the setup on the right.

import { useSignal } from "@preact/signals";
import type { ParsedConversation } from "windrow";
import { callOnPage } from "../state/building.js";
import { previewOf } from "../state/message.js";
import { formatCount, formatNumber } from "../state/names.js";
import { endsWithReply } from "../state/request.js";
import { samples } from "../state/samples.js";
import { countOf, freeName, readList, saved } from "../state/saved.js";
import { plainSetup, type Setup } from "../state/setup.js";
import {
  exportNamed,
  openFile,
  openNamed,
  openPasted,
  removeNamed,
  save,
  shareAddress,
  shareWithConversation,
  showConversation,
  showSample,
  sizeInWords,
} from "../state/sources.js";
import { failureOf, state } from "../state/state.js";
import { studioAddress } from "../state/studio.js";
import { CopyButton, closePanel, FailureBox, isSecondOfDouble, openPanel, Panel } from "./parts.js";
import { RecordingPanel } from "./Recording.js";
import { SetupPanel } from "./Setup.js";
import "./Top.css";

export function Top() {
  const source = state.source.value;
  return (
    <header class="top">
      <h1>windrow</h1>
      <button type="button" class="button" id="source" onClick={() => openPanel("samples")}>
        <span class="source-name" id="source-name">
          {source === undefined ? "Loading…" : source.name}
        </span>
        {source !== undefined && <span class="quiet">{sizeInWords(source)}</span>}
        <span aria-hidden="true">▾</span>
      </button>
      <OpenButton />
      <PasteButton />
      <button
        type="button"
        class="button"
        id="saved-button"
        onClick={() => {
          void readList();
          openPanel("saved");
        }}
      >
        Saved<span class="long">&nbsp;conversations</span>
      </button>
      <button type="button" class="button" id="connect-button" onClick={() => openPanel("connect")}>
        Connect<span class="long">&nbsp;app</span>
      </button>
      <span class="space" />
      <button type="button" class="button" id="setup-a-button" onClick={() => openPanel("setup-a")}>
        {state.b.value === undefined ? "Setup" : "A"}: {nameOf(state.a.value)} <span aria-hidden="true">▾</span>
      </button>
      <CompareButton />
      <button type="button" class="button" id="code-button" onClick={() => openPanel("code")}>
        Copy<span class="long">&nbsp;as</span>&nbsp;code
      </button>
      <button type="button" class="button" id="recording-button" onClick={() => openPanel("recording")}>
        Recording
      </button>
      <button type="button" class="button" id="share-button" onClick={() => openPanel("share")}>
        Share
      </button>
      <SamplesPanel />
      <SavedPanel />
      <ConnectPanel />
      <SetupPanel side="a" />
      {state.b.value !== undefined && <SetupPanel side="b" />}
      <CodePanel />
      <RecordingPanel />
      <SharePanel />
    </header>
  );
}

/** A setup in a word, with the number of changed options. */
function nameOf({ preset, options }: Setup): string {
  const changed = Object.keys(options).length;
  return `${preset === "" ? "plain" : preset}${changed === 0 ? "" : `, ${formatCount(changed, "change")}`}`;
}

function OpenButton() {
  return (
    <label class="button">
      Open
      <input
        class="visually-hidden"
        id="file"
        type="file"
        accept=".json,.jsonl,.ndjson,.txt,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) {
            void openFile(file);
          }
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

function PasteButton() {
  const paste = async () => {
    try {
      await openPasted(await navigator.clipboard.readText());
    } catch (thrown) {
      const failure = failureOf(thrown);
      state.fileFailure.value = {
        ...failure,
        words: "The browser doesn't let the page read the clipboard.",
        next: "Press Ctrl+V instead.",
      };
    }
  };
  return (
    <button type="button" class="button" id="paste" onClick={() => void paste()}>
      Paste
    </button>
  );
}

function CompareButton() {
  const isComparing = state.b.value !== undefined;
  const toggle = () => {
    state.b.value = isComparing ? undefined : { ...state.a.value };
    if (!isComparing) {
      // The element exists after the next frame.
      requestAnimationFrame(() => openPanel("setup-b"));
    }
  };
  return (
    <>
      {isComparing && (
        <button type="button" class="button" id="setup-b-button" onClick={() => openPanel("setup-b")}>
          B: {nameOf(state.b.value ?? plainSetup)} <span aria-hidden="true">▾</span>
        </button>
      )}
      <button type="button" class="button" id="compare" onClick={toggle}>
        {isComparing ? "End comparing" : "Compare"}
        {!isComparing && <span class="long">&nbsp;with B</span>}
      </button>
    </>
  );
}

/** Maximum number of conversations that the list shows. The search finds the others. */
const MOST_CONVERSATIONS = 200;

const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** A conversation as its title, or as its first words. */
function titleOf({ title, messages: [first] }: ParsedConversation): string {
  return title ?? (first === undefined ? "" : previewOf(first).slice(0, 80));
}

/** The conversations of a file, newest first, with a search in their titles and texts. */
function Conversations({ all, shown }: { all: readonly ParsedConversation[]; shown: number }) {
  const wanted = useSignal("");
  const words = wanted.value.trim().toLowerCase();
  const found = all
    .map((conversation, index) => ({ conversation, number: index + 1, title: titleOf(conversation) }))
    .filter(
      ({ conversation, title }) =>
        title.toLowerCase().includes(words) ||
        conversation.messages.some((message) => previewOf(message).toLowerCase().includes(words)),
    )
    .sort((left, right) => (right.conversation.startedAt ?? "").localeCompare(left.conversation.startedAt ?? ""));
  return (
    <section class="stack" id="conversations" aria-label="Conversations of the file">
      <label class="field">
        <span>Search the {formatCount(all.length, "conversation")} of the file</span>
        <input
          id="conversation-search"
          type="search"
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
          }}
        />
      </label>
      <ul class="conversation-list">
        {found.slice(0, MOST_CONVERSATIONS).map(({ conversation, number, title }) => (
          <li key={number}>
            <button
              type="button"
              data-conversation={number}
              aria-current={number === shown ? "true" : undefined}
              onClick={() => {
                closePanel("samples");
                void showConversation(number);
              }}
            >
              <b>{title}</b>
              <span class="quiet">
                {formatCount(conversation.messages.length, "message")}
                {conversation.startedAt === undefined ? "" : `, ${days.format(new Date(conversation.startedAt))}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p class="quiet" role="status" id="conversations-found">
        {found.length === 0
          ? "No conversation has these words."
          : found.length > MOST_CONVERSATIONS
            ? `${formatCount(found.length - MOST_CONVERSATIONS, "more conversation")}: search for one.`
            : ""}
      </p>
    </section>
  );
}

function SamplesPanel() {
  const { skipped = [], conversations, place } = state.source.value ?? {};
  return (
    <Panel id="samples" title={conversations === undefined ? "Samples" : "Conversations"}>
      {() => (
        <div class="stack">
          {conversations !== undefined && <Conversations all={conversations} shown={place?.[0] ?? 0} />}
          {conversations !== undefined && <h3>Samples</h3>}
          <ul class="sample-list">
            {samples.map(({ name, title, about }) => (
              <li key={name}>
                <button
                  type="button"
                  data-sample={name}
                  onClick={() => {
                    closePanel("samples");
                    void showSample(name);
                  }}
                >
                  <b>{title}</b>
                  <span class="quiet">{about}</span>
                </button>
              </li>
            ))}
          </ul>
          <p class="quiet">
            Or open, drop or paste a file: JSON or JSONL of any form that windrow reads, an export of ChatGPT, Claude or
            Gemini, a recording, or a shared view. It stays in this tab.
          </p>
          {skipped.length > 0 && (
            <details class="skipped" id="skipped">
              <summary>
                {formatCount(skipped.length, "row")} of the file {skipped.length === 1 ? "was" : "were"} not understood
                and skipped
              </summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
              <ol tabIndex={0} aria-label="Skipped rows">
                {skipped.slice(0, 200).map(({ row, reason }) => (
                  <li key={row}>
                    <b>Row {formatNumber(row)}</b> {reason}
                  </li>
                ))}
              </ol>
            </details>
          )}
        </div>
      )}
    </Panel>
  );
}

const moments = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

function SavedPanel() {
  const source = state.source.value;
  const name = useSignal<string | undefined>(undefined);
  const inQuestion = useSignal<string | undefined>(undefined);
  const wanted =
    name.value ??
    freeName(source?.session === undefined ? (source?.name.replace(/\.\w+$/, "") ?? "") : `${source.name}, copy`);
  const list = saved.list.value;
  return (
    <Panel id="saved" title="Saved conversations">
      {() => (
        <div class="stack">
          <p class="quiet">They are in this browser, in all its tabs, and don't leave this computer.</p>
          {saved.failure.value !== undefined && <FailureBox failure={saved.failure.value} id="saved-failure" />}
          <form
            class="save-form"
            id="save"
            autocomplete="off"
            onSubmit={(event) => {
              event.preventDefault();
              void save(wanted).then(() => {
                name.value = undefined;
              });
            }}
          >
            <label>
              Save this conversation as
              <input
                id="save-name"
                type="text"
                required
                maxLength={200}
                value={wanted}
                onInput={({ currentTarget }) => {
                  name.value = currentTarget.value;
                }}
              />
            </label>
            <button
              class="button"
              type="submit"
              onClick={(event) => {
                if (isSecondOfDouble(event)) {
                  event.preventDefault();
                }
              }}
            >
              Save
            </button>
          </form>
          <p class="quiet" role="status" id="saved-status">
            {saved.status.value}
          </p>
          <ul id="saved-list">
            {list.map((info) => (
              <li
                key={info.key}
                class="saved-row"
                aria-current={info.key === source?.session?.key ? "true" : undefined}
              >
                <span class="name">{info.key}</span>
                {inQuestion.value === info.key ? (
                  <span class="buttons">
                    Delete it for good?
                    <button
                      type="button"
                      class="button small"
                      data-action="remove"
                      onClick={() => {
                        inQuestion.value = undefined;
                        void removeNamed(info.key);
                      }}
                    >
                      Delete<span class="visually-hidden"> {info.key}</span>
                    </button>
                    <button
                      type="button"
                      class="button small"
                      onClick={() => {
                        inQuestion.value = undefined;
                      }}
                    >
                      Cancel<span class="visually-hidden"> deleting {info.key}</span>
                    </button>
                  </span>
                ) : (
                  <>
                    <span class="quiet figure">{formatCount(countOf(info), "message")}</span>
                    <time class="quiet" dateTime={new Date(info.updatedAtMs).toISOString()}>
                      {moments.format(info.updatedAtMs)}
                    </time>
                    <span class="buttons">
                      <button
                        type="button"
                        class="button small"
                        data-action="open"
                        onClick={() => void openNamed(info.key)}
                      >
                        {info.key === source?.session?.key ? "On the page" : "Open"}
                        <span class="visually-hidden"> {info.key}</span>
                      </button>
                      <button
                        type="button"
                        class="button small"
                        data-action="export"
                        onClick={() => void exportNamed(info.key)}
                      >
                        Export<span class="visually-hidden"> {info.key}</span>
                      </button>
                      <button
                        type="button"
                        class="button small"
                        data-action="ask"
                        onClick={() => {
                          inQuestion.value = info.key;
                        }}
                      >
                        Delete<span class="visually-hidden"> {info.key}, which asks first</span>
                      </button>
                    </span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Panel>
  );
}

/** How an app shows its own builds here: in the studio, which is this page on the visitor's machine. */
function ConnectPanel() {
  const code = `import { inspect } from "windrow/inspect";

const context = await buildContext(messages, config);
inspect(context);`;
  const start = studioAddress === undefined ? "npx windrow studio --port 4400" : `WINDROW_STUDIO="${studioAddress}"`;
  return (
    <Panel id="connect" title="Connect your app">
      {() => (
        <div class="stack">
          <p>
            {studioAddress === undefined
              ? "The studio is this page on your own machine. Start it, and start your app with the address that it prints as WINDROW_STUDIO:"
              : "This is the studio. Start your app with its address in the environment:"}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0}>{start}</pre>
          <p>Then each build that your app reports becomes a line of “Every turn”:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0}>{code}</pre>
          <div class="buttons">
            <CopyButton
              words={studioAddress === undefined ? "Copy the command" : "Copy the address"}
              text={() => start}
            />
            <CopyButton words="Copy the code" text={() => code} />
          </div>
          <p class="quiet">
            A page has no environment, so pass it the address: <code>inspect(context, {"{ studio }"})</code>. With Vite,
            that is <code>import.meta.env.VITE_WINDROW_STUDIO</code> from <code>.env.development.local</code>. In
            production “inspect” does nothing. The studio is for this machine alone.
          </p>
        </div>
      )}
    </Panel>
  );
}

function CodePanel() {
  return (
    <Panel id="code" title="The call that builds it" place="right wide">
      {() => <Code />}
    </Panel>
  );
}

function Code() {
  const { picture, b } = state;
  if (picture.value === undefined) {
    return null;
  }
  const code = callOnPage(state.a.value);
  return (
    <div class="stack">
      <div class="buttons">
        <CopyButton words={b.value === undefined ? "Copy" : "Copy A"} text={() => code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre id="call" tabIndex={0}>
        {code}
      </pre>
      {b.value !== undefined && (
        <>
          <div class="buttons">
            <CopyButton words="Copy B" text={() => callOnPage(b.value ?? plainSetup)} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre tabIndex={0}>{callOnPage(b.value)}</pre>
        </>
      )}
    </div>
  );
}

function SharePanel() {
  const source = state.source.value;
  const isOwn = source !== undefined && source.from !== "sample";
  return (
    <Panel id="share" title="Share" place="right">
      {() => (
        <div class="stack">
          <p>
            The link holds the setup, the request, the budget and what is chosen.
            {isOwn
              ? " The conversation is not in it: whoever opens it is told so, and sees a sample."
              : " The sample comes with it."}
          </p>
          <div class="buttons">
            <CopyButton words="Copy the link" text={shareAddress} />
            <button type="button" class="button" id="share-file" onClick={() => void shareWithConversation()}>
              Share with conversation
            </button>
          </div>
          <p class="quiet">“Share with conversation” saves a file. Opened on this page, it shows the same view.</p>
        </div>
      )}
    </Panel>
  );
}

/** Failures and notices, above the picture. */
export function ToldChange() {
  const { fileFailure, failure, notice, picture, isAsking } = state;
  return (
    <div class="told">
      {fileFailure.value !== undefined && (
        <FailureBox failure={fileFailure.value} id="file-failure">
          <button
            type="button"
            class="button small"
            onClick={() => {
              fileFailure.value = undefined;
              document.body.dataset.state = "built";
            }}
          >
            Close
          </button>
        </FailureBox>
      )}
      {notice.value !== "" && (
        <p class="notice" id="notice" role="status">
          {notice.value}
          <button
            type="button"
            class="button small"
            onClick={() => {
              notice.value = "";
            }}
          >
            Close
          </button>
        </p>
      )}
      {failure.value !== undefined && (
        <FailureBox failure={failure.value} id="build-failure">
          {picture.value !== undefined && (
            <p>Below is the conversation as it was last built, or with room for everything.</p>
          )}
        </FailureBox>
      )}
      {picture.value !== undefined && endsWithReply(picture.value) && (
        <p class="notice" id="ends-with-reply" role="status">
          The conversation ends with a reply, so nothing is asked. Type a request below, or step back to a turn.
        </p>
      )}
      {isAsking.value && (
        <p class="notice" role="status" id="asking">
          The fast model is being asked…
        </p>
      )}
    </div>
  );
}
