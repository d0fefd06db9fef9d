#!/usr/bin/env node
// Checks records of Croupier from their bytes alone: `node verify.mjs FILE...`.
//
// The status is 0 when all hold, 1 when a check does not, 2 when a file cannot be read.

import { readFileSync } from "node:fs";
import { argv, exit, stdout } from "node:process";
import { verify } from "./lib/verify.mjs";

// A file comes from anybody: controls, format characters (bidi among them) and separators as escapes.
const printable = (text) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

const asJson = argv.includes("--json");
const files = argv.slice(2).filter((argument) => argument !== "--json");
if (files.length === 0 || files.some((file) => file.startsWith("--"))) {
  console.error("usage: node verify.mjs [--json] FILE...");
  exit(2);
}
const reports = [];
for (const file of files) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    console.error(`cannot read ${printable(file)}: ${error.code}`);
    exit(2);
  }
  const report = { file, ...verify(bytes) };
  reports.push(report);
  if (asJson) continue;
  const warnings = report.checks.filter(({ warning }) => warning).length;
  const but = report.verified && warnings ? ", WITH A WARNING" : "";
  console.log(`${printable(file)}: ${report.verified ? "verified" : "NOT verified"}${but}`);
  for (const { name, holds, detail, warning } of report.checks) {
    const sign = warning ? "!" : holds ? "✓" : "✗";
    console.log(`  ${sign} ${name.padEnd(10)}  ${printable(detail)}`);
  }
}
process.exitCode = reports.every((report) => report.verified) ? 0 : 1;
if (asJson) stdout.write(`${JSON.stringify(reports, null, 2)}\n`);
