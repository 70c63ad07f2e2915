// Sessions in tabs of a real browser, with so many appends at once that it takes half a minute.

process.env.WINDROW_TAB_APPENDS = "500";
await import("../package/session/browser.test.mjs");
