// Keeps the files of the page, so that it opens without a network. The build writes their names and the version in.

const NAME = "windrow-VERSION_OF_BUILD";
const FILES = ["FILES_OF_BUILD"];
/** A file is the same whoever asks for it, and with which headers. */
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
    // The page itself is fetched again, so that a new version shows. Its files have their checksums in their names.
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
