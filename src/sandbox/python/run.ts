import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromPython, GivenFile, PythonFile, ToPython } from './messages.ts';
import type { PythonProcess } from './process.ts';

const program = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));
const pyodide = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));
console.log(program, pyodide, spawn, mkdtemp, rm, tmpdir, join);
export type { ChildProcess, FromPython, GivenFile, PythonFile, ToPython, PythonProcess };
