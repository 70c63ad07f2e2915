import "../shared/program.js";
