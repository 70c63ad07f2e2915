// Bodies with many images in 1,000 random cases of each property, however long they take: they stay below the limit, no
// text is lost, the newest images stay, and a line replaces each other one.

process.env.WINDROW_CASES ??= "1000";
await import("../package/context/bytes.test.mjs");
