// Caches the page's files, so it opens without a network. The build inserts their names and the version.

const NAME = "windrow-VERSION_OF_BUILD";
const FILES = ["FILES_OF_BUILD"];
/** Ignores query and headers, because a file is the same for every request. */
const HOWEVER_ASKED = { ignoreSearch: true, ignoreVary: true };

self.addEventListener("install", (event) => {
  const all = async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(FILES);
    await self.skipWaiting();
  };
  event.waitUntil(all());
});

self.addEventListener("activate", (event) => {
  const all = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("windrow-") && name !== NAME) {
        await caches.delete(name);
      }
    }
    await self.clients.claim();
  };
  event.waitUntil(all());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (
    request.method !== "GET" ||
    origin !== location.origin ||
    !pathname.startsWith(new URL("./", location).pathname)
  ) {
    return;
  }
  const answer = async () => {
    const cache = await caches.open(NAME);
    const known = await cache.match(request, HOWEVER_ASKED);
    // The page itself is fetched again, so a new version appears. Its files have checksums in their names.
    if (known !== undefined && request.mode !== "navigate") {
      return known;
    }
    try {
      return await fetch(request);
    } catch (failure) {
      return (
        known ??
        (request.mode === "navigate" ? await cache.match("./", HOWEVER_ASKED) : undefined) ??
        Promise.reject(failure)
      );
    }
  };
  event.respondWith(answer());
});
