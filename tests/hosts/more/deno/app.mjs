import "../../shared/program.js";
