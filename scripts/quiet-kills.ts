/**
 * Kills the worker of an `ask` in a call in which the model says nothing, again and again, and tells how many of the
 * commands ended by themselves all the same: `npm run example scripts/quiet-kills.ts [TIMES]`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopUp } from '../src/local/background.ts';
import { freePort } from '../src/local/ports.ts';
import { liveWorkers } from '../src/local/workers.ts';
import { startModelServer } from '../test/support/model-server.ts';
import { teamScript } from '../test/support/team-script.ts';

const times = Number(process.argv[2] ?? 20);
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'reprise-quiet-'));
const home = join(folder, 'home');

/** Is called by the model when the call has come in which it says nothing. */
let onQuiet: (() => void) | undefined;
const model = await startModelServer(
  teamScript({
    answer: async ({ agent }) => {
      const kill = onQuiet;
      onQuiet = undefined;
      if (kill !== undefined) {
        setTimeout(kill, 2000);
        await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
      }
      return { calls: [{ name: 'new_answer', arguments: { content: `Answer of ${agent}.` } }] };
    },
  }),
);
const address = `127.0.0.1:${await freePort()}`;

let ended = 0;
for (let number = 1; number <= times; number++) {
  onQuiet = () => {
    for (const { pid } of liveWorkers(home)) process.kill(pid, 'SIGKILL');
  };
  const began = Date.now();
  const child = spawn(process.execPath, [main, 'ask', `Question ${number}`], {
    cwd: folder,
    env: {
      ...process.env,
      REPRISE_HOME: home,
      TEMPORAL_ADDRESS: address,
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: model.openai,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (answer += text));
  const giveUp = setTimeout(() => child.kill('SIGKILL'), 180_000);
  const [status] = (await once(child, 'close')) as [number | null];
  clearTimeout(giveUp);
  const isWell = status === 0 && answer.startsWith('The final answer');
  if (isWell) ended += 1;
  console.error(`${number}: ${isWell ? 'ended' : `status ${status}`}, ${Math.round((Date.now() - began) / 1000)} s`);
}
await stopUp(home);
await model.close();
rmSync(folder, { recursive: true, force: true });
console.log(`${ended} of ${times} commands ended by themselves after their worker was killed in a quiet call`);
process.exit(ended === times ? 0 : 1);
