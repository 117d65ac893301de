/** A process that runs a program of Python: `node host.ts CODE`. */
import { runPython } from '../../../src/tools/python/run.ts';

const code = process.argv[2] ?? '';
const none = async function* () {};
await runPython({ code, seconds: 600, files: none, wheels: [] }, new AbortController().signal);
