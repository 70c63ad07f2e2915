import "../../node/source.mjs";
