import "/windrow/dist/default.js";
import { serveWorker } from "/windrow/dist/worker-thread.js";

serveWorker();
