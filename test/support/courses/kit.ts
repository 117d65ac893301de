import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The tools of generated runs: their results say what they were asked, so that swapped ones are noticed. */
const kit = `
const parameters = { type: 'object', properties: { text: { type: 'string' }, ms: { type: 'number' } }, required: ['text'] };
const wait = (ms = 0) => new Promise((done) => setTimeout(done, ms));
const say = (word) => async ({ text, ms }) => { await wait(ms); return word + ' ' + text; };
const fail = async ({ text, ms }) => { await wait(ms); throw Object.assign(new Error('No ' + text), { name: 'ToolError' }); };
const tool = (name, execute, rest = {}) => ({ name, description: name, parameters, execute, sideEffects: false, ...rest });
export const tools = [
  tool('read', say('Read')),
  tool('look', say('Seen')),
  tool('slow', say('Slowly read')),
  tool('fail', fail),
  tool('act', say('Done'), { sideEffects: true }),
  tool('act_by_key', say('Done once'), { sideEffects: 'idempotent' }),
];
`;

/** Their names; the last two act outside of a run. */
export const toolNames = ['read', 'look', 'slow', 'fail', 'act', 'act_by_key'] as const;

/** Writes the tools into a worker's folder, as the package `kit`. */
export const writeCourseKit = (folder: string): void => writeFileSync(join(folder, 'kit.ts'), kit);
