#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { fittingNode, isClone, isNewEnough, runAndEnd, runInClone } from './bootstrap.mjs';

const words = process.argv.slice(2);
if (isClone) {
  runInClone('src/cli/main.ts', words);
} else {
  const main = new URL('../dist/cli/main.js', import.meta.url);
  if (isNewEnough(process.versions.node)) await import(main.href);
  else runAndEnd(fittingNode(), [fileURLToPath(main), ...words]);
}
