// Clicks through the served page and the report in headless Chromium. See ../e2e.sh.

import { finish } from "./harness.mjs";

for (const part of ["special", "table", "server", "views"]) await import(`./${part}.mjs`);
const failed = await finish();
console.log(failed ? `${failed} failed` : "all passed");
process.exit(failed ? 1 : 0);
