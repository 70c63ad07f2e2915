window.outcome = navigator.serviceWorker.register("/in-service-worker.js", { type: "module" }).then(async () => {
  const { active } = await navigator.serviceWorker.ready;
  return await new Promise((resolve, reject) => {
    navigator.serviceWorker.onmessage = ({ data }) =>
      data.failure === undefined ? resolve(data.data) : reject(new Error(data.failure));
    active.postMessage("build");
  });
});
