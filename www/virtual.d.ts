/** The address of the worker: see vite.config.js. */
declare module "virtual:worker-address" {
  const address: string;
  export default address;
}
