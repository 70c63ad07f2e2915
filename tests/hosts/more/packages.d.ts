// Packages that only `npm run test:hosts` installs: their types are not needed to check the rest.

declare module "@rollup/plugin-node-resolve";
declare module "@rspack/core";
declare module "publint";
declare module "publint/utils";
declare module "rollup";
declare module "webpack";
