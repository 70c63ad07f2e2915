import "../../shared/page.js";
