// Sessions in tabs of a real browser, with enough parallel appends to take half a minute.

process.env.WINDROW_TAB_APPENDS = "500";
await import("../package/session/browser.test.mjs");
