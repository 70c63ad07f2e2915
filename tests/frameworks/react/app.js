// Components that show IndexedDB sessions with `useWindrow`, and the cases that a test runs with them in a browser.

import * as React from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { openSession } from "windrow";
import { useWindrow } from "windrow/react";
import { indexedDbStore } from "windrow/stores/indexeddb";

const { createElement: h, StrictMode, Suspense, startTransition } = React;
const store = indexedDbStore({ name: "react-cases" });
let sessionCount = 0;
const opened = () => openSession(`case-${sessionCount++}`, { store });
const said = (text) => ({ role: "user", content: text });

function check(isTrue, what) {
  if (!isTrue) {
    throw new Error(what);
  }
}

/** Waits until a condition holds. */
async function until(holds, what) {
  for (const start = Date.now(); !holds(); await new Promise((resolve) => setTimeout(resolve, 2))) {
    check(Date.now() - start < 5000, `never: ${what()}`);
  }
}

const place = () => document.body.appendChild(document.createElement("div"));
const textsIn = (element) => [...element.querySelectorAll("li")].map((item) => item.textContent);
const textOf = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));

/** Shows a session and reports its state to the test. */
function Chat({ session, limit, seen }) {
  const state = useWindrow(session, limit === undefined ? {} : { limit });
  seen?.(state);
  return h(
    "section",
    { "data-status": state.status, "data-older": String(state.hasOlder) },
    h("ul", null, ...state.messages.map((message, at) => h("li", { key: at }, textOf(message)))),
    h("output", null, state.context === undefined ? "none" : String(state.context.tokens.total)),
    h("em", null, state.error?.code ?? ""),
  );
}

const statusOf = (root) => root.querySelector("section")?.dataset.status;

export const cases = {
  async "messages of this tab and of others appear"() {
    const session = await opened();
    const root = place();
    let state;
    createRoot(root).render(h(StrictMode, null, h(Chat, { session, seen: (it) => (state = it) })));
    await until(
      () => statusOf(root) === "ready",
      () => statusOf(root),
    );
    check(textsIn(root).length === 0, "the session is empty");
    await state.append([said("one"), said("two")]);
    await until(
      () => textsIn(root).join() === "one,two",
      () => textsIn(root).join(),
    );
    const other = await openSession(session.key, { store: indexedDbStore({ name: "react-cases" }) });
    await other.append(said("three"));
    await until(
      () => textsIn(root).join() === "one,two,three",
      () => textsIn(root).join(),
    );
    await other.replaceLast(said("3"));
    await until(
      () => textsIn(root).join() === "one,two,3",
      () => textsIn(root).join(),
    );
  },

  async "a message that didn't change is the same object"() {
    const session = await opened();
    await session.append([said("one"), said("two")]);
    const root = place();
    let state;
    createRoot(root).render(h(Chat, { session, seen: (it) => (state = it) }));
    await until(
      () => textsIn(root).length === 2,
      () => textsIn(root).join(),
    );
    const before = state;
    await state.append(said("three"));
    await until(
      () => textsIn(root).length === 3,
      () => textsIn(root).join(),
    );
    check(before.messages[0] === state.messages[0] && before.messages[1] === state.messages[1], "they are others");
    check(before.append === state.append && before.build === state.build, "its functions are others");
  },

  async "a context is built on request, and its failure is shown"() {
    const session = await opened();
    await session.append(said("one"));
    const root = place();
    const statuses = [];
    let state;
    const seen = (it) => {
      state = it;
      statuses.push(it.status);
    };
    createRoot(root).render(h(Chat, { session, seen }));
    await until(
      () => statusOf(root) === "ready",
      () => statusOf(root),
    );
    check(root.querySelector("output").textContent === "none", "nothing was asked for");
    const context = await state.build({ encoding: "estimate" });
    await until(
      () => root.querySelector("output").textContent === String(context.tokens.total),
      () => root.textContent,
    );
    check(statuses.includes("building") && statusOf(root) === "ready", statuses.join());
    const failure = await state.build({ encoding: "estimate", budget: { maxTokens: -1 } }).catch((it) => it);
    await until(
      () => statusOf(root) === "failed",
      () => statusOf(root),
    );
    check(root.querySelector("em").textContent === failure.code, "the error is shown");
    check(root.querySelector("output").textContent === String(context.tokens.total), "the context stays");
    await state.build({ encoding: "estimate" });
    await until(
      () => statusOf(root) === "ready" && root.querySelector("em").textContent === "",
      () => root.textContent,
    );
  },

  async "a higher limit shows older messages, and never none"() {
    const session = await opened();
    await session.append(Array.from({ length: 250 }, (_, at) => said(`m${at}`)));
    const [first, second] = [place(), place()];
    const [one, two] = [createRoot(first), createRoot(second)];
    const counts = [];
    const seen = ({ messages }) => counts.push(messages.length);
    one.render(h(Chat, { session, limit: 2, seen }));
    two.render(h(Chat, { session }));
    await until(
      () => textsIn(first).join() === "m248,m249" && textsIn(second).length === 100,
      () => textsIn(first).join(),
    );
    check(first.querySelector("section").dataset.older === "true", "there are older ones");
    counts.length = 0;
    one.render(h(Chat, { session, limit: 250, seen }));
    await until(
      () => textsIn(first).length === 250,
      () => String(textsIn(first).length),
    );
    check(!counts.includes(0), `it flashed: ${counts}`);
    check(first.querySelector("section").dataset.older === "false", "there are no older ones");
    check(textsIn(second).length === 100, "the other has its own limit");
  },

  async "Suspense shows its fallback while a session is opened"() {
    const root = place();
    const promise = new Promise((resolve) => setTimeout(resolve, 30)).then(async () => {
      const session = await opened();
      await session.append(said("one"));
      return session;
    });
    let session;
    promise.then((it) => {
      session = it;
    });
    function Opened() {
      if (React.use !== undefined) {
        return h(Chat, { session: React.use(promise) });
      }
      if (session === undefined) {
        throw promise;
      }
      return h(Chat, { session });
    }
    createRoot(root).render(h(StrictMode, null, h(Suspense, { fallback: h("i", null, "opening") }, h(Opened))));
    await until(
      () => root.querySelector("i") !== null,
      () => root.innerHTML,
    );
    await until(
      () => textsIn(root).join() === "one",
      () => root.innerHTML,
    );
  },

  async "components never show two states at once"() {
    const session = await opened();
    const root = place();
    const torn = [];
    const Slow = ({ name, ...rest }) => {
      for (const end = performance.now() + 3; performance.now() < end; );
      return h("div", { id: name }, h(Chat, rest));
    };
    function Both({ step }) {
      React.useLayoutEffect(() => {
        const [one, two] = ["one", "two"].map((name) => textsIn(root.querySelector(`#${name}`)).join());
        if (one !== two) {
          torn.push([one, two]);
        }
      });
      return h("div", { "data-step": step }, h(Slow, { name: "one", session }), h(Slow, { name: "two", session }));
    }
    const renderer = createRoot(root);
    renderer.render(h(Both, { step: 0 }));
    for (let step = 1; step < 30; step++) {
      startTransition(() => renderer.render(h(Both, { step })));
      await session.append(said(`m${step}`));
    }
    await until(
      () => textsIn(root.querySelector("#two")).length === 29,
      () => String(textsIn(root).length),
    );
    check(torn.length === 0, `torn: ${JSON.stringify(torn[0])}`);
  },

  async "nothing is read after the last component is gone, and everything is there when one returns"() {
    const session = await opened();
    await session.append(said("one"));
    const root = place();
    let renderer = createRoot(root);
    renderer.render(h(StrictMode, null, h(Chat, { session })));
    await until(
      () => textsIn(root).length === 1,
      () => root.innerHTML,
    );
    renderer.unmount();
    let reads = 0;
    const { messages } = session;
    session.messages = (...given) => {
      reads += 1;
      return messages.apply(session, given);
    };
    await session.append(said("two"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    check(reads === 0, `${reads} reads`);
    renderer = createRoot(root);
    renderer.render(h(Chat, { session }));
    await until(
      () => textsIn(root).join() === "one,two",
      () => root.innerHTML,
    );
  },

  async "a page that a server rendered hydrates without a difference"(html) {
    const session = await opened();
    await session.append(said("one"));
    const root = place();
    root.innerHTML = html;
    const differences = [];
    hydrateRoot(root, h(Chat, { session }), { onRecoverableError: (error) => differences.push(String(error)) });
    await until(
      () => textsIn(root).join() === "one",
      () => root.innerHTML,
    );
    check(differences.length === 0, differences.join());
  },

  async "a closed session fails, and a missing one is loading"() {
    const session = await opened();
    await session.close();
    const root = place();
    const renderer = createRoot(root);
    let state;
    const seen = (it) => (state = it);
    renderer.render(h(Chat, { session, seen }));
    await until(
      () => statusOf(root) === "failed",
      () => root.innerHTML,
    );
    check(root.querySelector("em").textContent === "STORE_CLOSED", root.innerHTML);
    renderer.render(h(Chat, { session: undefined, seen }));
    await until(
      () => statusOf(root) === "loading",
      () => root.innerHTML,
    );
    const failure = await state.append(said("one")).catch((it) => it);
    check(failure.code === "INVALID_SESSION", String(failure));
  },

  async "errors about wrong options name the right one"() {
    const root = place();
    const failures = [];
    class Boundary extends React.Component {
      state = { failed: false };
      static getDerivedStateFromError = () => ({ failed: true });
      componentDidCatch(failure) {
        failures.push(failure);
      }
      render() {
        return this.state.failed ? null : this.props.children;
      }
    }
    const session = await opened();
    createRoot(root, { onCaughtError() {} }).render(h(Boundary, null, h(Chat, { session, limit: 0 })));
    await until(
      () => failures.length > 0,
      () => "no failure",
    );
    check(failures[0].code === "INVALID_CONFIG" && failures[0].message.includes("limit"), String(failures[0]));
  },

  /** Makes random changes from this tab and another, while components mount, unmount and change their limits. */
  async "shows the session's messages after random changes"() {
    let seed = 1;
    const random = (count) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % count;
    };
    for (let round = 0; round < 12; round++) {
      const session = await opened();
      const other = await openSession(session.key, { store: indexedDbStore({ name: "react-cases" }) });
      const root = place();
      let renderer = createRoot(root);
      let limit = 5;
      let count = 0;
      const render = () => renderer.render(h(StrictMode, null, h(Chat, { session, limit })));
      render();
      for (let step = 0; step < 25; step++) {
        const by = random(2) === 0 ? session : other;
        const steps = [
          () => by.append(Array.from({ length: 1 + random(4) }, () => said(`m${count++}`))),
          () => by.append(said(`m${count++}`)),
          // The session may be empty, and the other tab may have appended since.
          () =>
            by
              .replaceLast(said(`r${count++}`))
              .catch(({ code }) => check(["INVALID_SESSION", "STORE_CONFLICT"].includes(code), code)),
          async () => {
            const [message] = await by.messages({ order: "descending", limit: 1 + random(3) });
            return message === undefined ? undefined : by.truncateFrom(message.id);
          },
          () => {
            limit = 1 + random(12);
            render();
          },
          () => {
            renderer.unmount();
            renderer = createRoot(root);
            render();
          },
        ];
        await steps[random(steps.length)]();
      }
      const newest = await session.messages({ order: "descending", limit });
      const expected = newest.reverse().map(textOf).join();
      await until(
        () => textsIn(root).join() === expected,
        () => `${textsIn(root)} instead of ${expected}`,
      );
      renderer.unmount();
    }
  },
};

globalThis.cases = cases;
