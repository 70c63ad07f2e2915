// Packages that only `npm run test:hosts` installs. Other checks don't need their types.

declare module "@rollup/plugin-node-resolve";
declare module "@rspack/core";
declare module "publint";
declare module "publint/utils";
declare module "rollup";
declare module "webpack";
