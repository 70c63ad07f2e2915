// The part of fflate that is needed, as a file of its own: the rest of it drops out.

export { inflateSync } from "fflate";
