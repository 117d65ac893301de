/**
 * Proves that the package works: packs it, checks it with publint, installs it in an empty folder, and asks it a question
 * there with the offline model, both by the command line and by the example of the library. Ends with an error where a
 * step fails or there is no answer.
 * A user's program is also compiled against its types, strictly and without `skipLibCheck`.
 *
 *   npm run try-package [-- QUESTION]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { environmentVariables } from '../src/config/environment-variables.ts';
import { freePort } from '../src/local/ports.ts';

const question =
  process.argv[2] ?? 'How many attempts does an orchestration get by default, and what happens at the limit?';
const base = mkdtempSync(join(tmpdir(), 'reprise-package-'));
const folder = join(base, 'empty');
mkdirSync(folder);

/** The environment without keys, since the package must answer without any. */
const env = Object.fromEntries(
  Object.entries({
    ...process.env,
    REPRISE_HOME: join(base, 'home'),
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}`,
  }).filter(([name]) => !environmentVariables.includes(name)),
);

function run(cwd: string, command: string, ...words: string[]): string {
  const startedAt = Date.now();
  const printed = execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  console.error(`ok ${[command, ...words].join(' ')} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return printed.trim();
}

/** What somebody writes who uses the library, tools and orchestrators of their own among it. */
const program = `
import { connect, defineTool, type HandleText, type OrchestrationInput, type ToolDefinition } from 'reprise';
import { createWorker, ReprisePlugin } from 'reprise/worker';
import { z } from 'zod';

export const tools: ToolDefinition[] = [
  { name: 'shout', description: 'Says it louder.', parameters: { type: 'object' }, execute: () => 'HELLO' },
];
tools.push(
  // @ts-expect-error -- a city is a text
  defineTool({ name: 'c', description: 'A city.', parameters: z.object({ city: z.string() }), execute: ({ city }) => city * 2 }),
);
export const handleText: HandleText = async (text, { llm }) =>
  (await llm.generate([{ role: 'user', content: text }])).content;
const input: OrchestrationInput = {
  task: 'Which colour?',
  config: { agents: [{ id: 'a', backend: { type: 'openai', model: 'gpt-5' } }] },
};
// @ts-expect-error -- there is no such backend
const wrong: OrchestrationInput = { task: 'x', config: { agents: [{ id: 'a', backend: { type: 'opnai' } }] } };
await using reprise = await connect();
await using run = await reprise.startOrchestration(input);
const { answer, outcome } = await run.result();
const state = await reprise.getRun('other').state();
const iteration: number = state.workflow === 'research' ? state.planning_iteration : 0;
console.log(answer, outcome === 'submitted', iteration, wrong, createWorker, new ReprisePlugin().name);
`;

/** Ours is what the program says, and what stands in our own declarations; others' are theirs to mend. */
function compile(): void {
  const { version } = JSON.parse(readFileSync('node_modules/@types/node/package.json', 'utf8')) as { version: string };
  run(folder, 'npm', 'install', '--no-save', `@types/node@${version}`);
  writeFileSync(join(folder, 'program.ts'), program);
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const { stdout } = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  const problems = stdout.split('\n').filter((line) => /^(?:program\.ts|node_modules\/reprise\/)/.test(line));
  if (problems.length > 0) throw new Error(`the types of the package:\n${problems.join('\n')}`);
  console.error('ok a strict program compiles against its types');
}

/** Begins a project of one's own with `init`: its configuration runs, its tool's test passes, and its schema is there. */
function begin(reprise: string): void {
  run(folder, reprise, 'init', 'shop', '--kind', 'agent');
  const answer = run(folder, reprise, 'chat', '--config', 'shop/agent.yaml', 'What is the repair price of a chain?');
  if (!answer.includes('euros: 35')) throw new Error(`the tool of init was not called: ${answer}`);
  run(folder, process.execPath, '--test', 'shop/tools/prices.test.ts');
  const [, schema = ''] = /\$schema=(\S+)/.exec(readFileSync(join(folder, 'shop', 'agent.yaml'), 'utf8')) ?? [];
  JSON.parse(readFileSync(join(folder, 'shop', schema), 'utf8'));
}

/** What of a packed package would not work for those who install it. */
async function problemsOf(file: string): Promise<string[]> {
  const tarball = Uint8Array.from(readFileSync(file)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball } });
  return messages.flatMap((message) => formatMessage(message, pkg, { color: false }) ?? []);
}

try {
  run('.', 'npm', 'pack', '--pack-destination', base);
  const file = readdirSync(base).find((name) => name.endsWith('.tgz')) ?? '';
  const problems = await problemsOf(join(base, file));
  if (problems.length > 0) throw new Error(`publint says of the package:\n${problems.join('\n')}`);
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  run(folder, 'npm', 'install', join(base, file));
  const imports = "await import('reprise'); await import('reprise/worker');";
  run(folder, process.execPath, '--input-type=module', '--eval', imports);
  compile();
  const reprise = join(folder, 'node_modules', '.bin', 'reprise');
  try {
    const answer = run(folder, reprise, 'ask', '--plain', question);
    const example = 'programmatic.ts';
    copyFileSync(join(folder, 'node_modules', 'reprise', 'examples', example), join(folder, example));
    const answerToExample = run(folder, process.execPath, example, question);
    if (answer === '' || answerToExample === '') throw new Error('there is no answer');
    console.log(answer);
    begin(reprise);
  } finally {
    run(folder, reprise, 'down');
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
