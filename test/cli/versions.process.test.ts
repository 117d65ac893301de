import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../src/local/ports.ts';
import { isAlive } from '../../src/util/processes.ts';
import type { InboxQuestion } from '../../src/client.ts';
import { variablesNamedIn } from '../../src/config/variables.ts';
import { keptBundle } from '../../src/worker/workflow-bundle.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { Home } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { sideBySide } from '../support/side-by-side.ts';

/** Each test starts several processes. */
const patient = { timeout: 600_000 };

test(
  'runs that wait keep their keys and code whatever other commands come, and an upgrade',
  patient,
  async ({ onTestFailed }) => {
    const { bundle, cli: temporal } = inject('temporal');
    const steps: string[] = [];
    onTestFailed(() => console.error(steps.join('\n')));
    const told = await sideBySide({
      runs: 2,
      commands: 3,
      address: `127.0.0.1:${await freePort()}`,
      temporal,
      say: (step) => steps.push(`${new Date().toISOString()} ${step}`),
      bundle: { from: bundle, name: keptBundle('').split('/').at(-1) ?? '' },
    });
    expect(told).toEqual({ hurt: [], failed: [], wrongKeys: [] });
  },
);

const config = `modules:
  - { id: llm, module: reprise.OpenAILLM, config: { model: test-model } }
  - { id: mine, module: ./mine.ts }
exchange:
  - { module: __entry__, protocol: TextMessageHandlerProtocol, provider: mine }
  - { module: mine, protocol: LLMProtocol, provider: llm }
`;

/** An orchestrator that makes these calls one after the other. */
const orchestrator = (...calls: string[]): string =>
  `import type { Services } from 'reprise/orchestrator';
export async function handleText(text: string, { llm }: Services) {
  const said: string[] = [];
  for (const call of ${JSON.stringify(calls)}) said.push((await llm.generate([{ role: 'user', content: call + ' ' + text }])).content);
  return said.join(', ');
}
`;

test(
  'a turn under way ends with the code that it began with, although that has changed and its worker has died',
  patient,
  async ({ onTestFinished }) => {
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const model = await startModelServer(async ({ prompt }) => {
      const [, call = ''] = /(old|new|newer) \w+ turn/.exec(prompt) ?? [];
      if (prompt.includes('first')) {
        started.resolve();
        await released.promise;
      }
      return { text: call };
    });
    const home = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
    onTestFinished(async () => {
      await home.remove();
      await model.close();
    });
    const file = join(home.folder, 'mine.ts');
    writeFileSync(join(home.folder, 'mine.yaml'), config);
    writeFileSync(file, orchestrator('old', 'old'));
    const first = home.start(['chat', 'first turn', '--config', 'mine.yaml']);
    await Promise.race([started.promise, first.finished.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
    const [before] = home.workers;

    writeFileSync(file, orchestrator('new', 'newer', 'new'));
    const second = await home.run(['chat', 'second turn', '--config', 'mine.yaml']);
    expect(second).toMatchObject({ status: 0, stdout: 'new, newer, new\n' });
    expect(home.workers).toHaveLength(2);
    process.kill(before!.pid, 'SIGKILL');
    while (isAlive(before!.pid)) await pause(20);
    released.resolve();
    expect(await first.finished).toMatchObject({ status: 0, stdout: 'old, old\n' });
    expect(home.workers.map(({ pid }) => pid)).not.toContain(before!.pid);
  },
);

test(
  'a run whose worker has died waits for its key with another one, and goes on with a command that has it',
  patient,
  async ({ onTestFinished }) => {
    const model = await startModelServer(asks('Which color?'));
    const home = await Home.make({ OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai });
    onTestFinished(async () => {
      await home.remove();
      await model.close();
    });
    const inbox = async (): Promise<InboxQuestion[]> =>
      JSON.parse((await home.run(['inbox', '--json'])).stdout) as InboxQuestion[];
    const until = async (kind: string): Promise<InboxQuestion> => {
      for (;;) {
        const found = (await inbox()).find((each) => each.kind === kind);
        if (found !== undefined) return found;
        await pause(200);
      }
    };
    writeFileSync(join(home.folder, 'team.json'), JSON.stringify(askingTeam(3000)));
    const started = await home.run(['ask', 'Paint it.', '--config', 'team.json', '--detach', '--id', 'q1']);
    expect(started).toMatchObject({ status: 0 });
    await until('question');
    process.kill(home.workers[0]!.pid, 'SIGKILL');
    const keyless = { OPENAI_API_KEY: '' };
    expect(await home.run(['ask', 'How many attempts?'], keyless)).toMatchObject({ status: 0 });
    expect(await home.run(['answer', 'q1', 'Blue'], keyless)).toMatchObject({ status: 0 });
    expect(await until('key')).toMatchObject({
      workflowId: 'q1',
      from: 'agent_a',
      question: 'needs OPENAI_API_KEY on a worker',
      expiresAt: null,
    });
    expect(await home.run(['watch', 'q1'])).toMatchObject({ status: 0, stdout: 'Told: Blue.\n' });
  },
);

test('a configuration’s variables are found in all its keys', () => {
  const text = `
    backend: { type: openai, api_key_env: ACME_KEY }
    "api_key_env": "OTHER_KEY"
    headers: { Authorization: "Bearer \${TOKEN}", Plain: $NO }
    env: { A: '\${ACME_KEY}' }`;
  expect(variablesNamedIn(text)).toEqual(['ACME_KEY', 'OTHER_KEY', 'TOKEN']);
});
