const worker = new Worker("/in-worker.js", { type: "module" });
window.outcome = new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
});
