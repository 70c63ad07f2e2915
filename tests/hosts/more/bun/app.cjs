require("../../node/app.cjs");
