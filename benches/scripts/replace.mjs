// Node's `replace` on a file: nanoseconds a call, the median of some rounds.
//
// usage: node replace.mjs FILE

import { readFileSync } from "node:fs";

const content = readFileSync(process.argv[2], "utf8");
let kept = 0;
const call = () => {
  kept += content.replace(/<(\/?untrusted-content)/gi, "<!MURMUR-NEUTRALISED!$1").length;
};
const time = (calls) => {
  const start = process.hrtime.bigint();
  for (let nth = 0; nth < calls; nth++) call();
  return Number(process.hrtime.bigint() - start) / calls;
};

const calls = Math.max(1, Math.floor(20_000_000 / time(3)));
time(calls);
const rounds = Array.from({ length: 11 }, () => time(calls)).sort((a, b) => a - b);
console.log(rounds[5]);
if (kept === 0 && content.length > 0) throw new Error("nothing was made");
