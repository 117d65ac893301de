#!/usr/bin/env node
import { isClone, isNewEnough, runFile } from './bootstrap.mjs';

const words = process.argv.slice(2);
if (isClone) runFile('src/cli/main.ts', words);
else if (isNewEnough(process.versions.node)) await import('../dist/cli/main.js');
else runFile('dist/cli/main.js', words);
