import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, type TestContext } from 'vitest';
import { agentOf, call, inTurn, writeKit } from '../support/agent-script.ts';
import { Conversation, type Got } from '../support/agui.ts';
import { firstWords } from '../support/first-words.ts';
import { killed } from '../support/killed.ts';
import { startModelServer } from '../support/model-server.ts';
import { runningMachine, type Machine } from '../support/processes.ts';
import { ownerToken } from '../support/serving.ts';

const main = fileURLToPath(new URL('../support/serve-main.ts', import.meta.url));

/** Starts an HTTP server, which is killed with its test at the latest. */
async function startServing(context: TestContext, { address, home }: Machine): Promise<[url: string, ChildProcess]> {
  const child = spawn(process.execPath, [main, address, home, ownerToken], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.onTestFinished(() => killed(child));
  return [(await firstWords(child)).trim(), child];
}

test(
  'a question and a tool call are each answered on a new server, the servers, Temporal and the worker killed between',
  { timeout: 300_000 },
  async (context) => {
    const ask = call('ask_others', { question: 'Dark or light?' });
    const replies = inTurn([ask, call('write', { text: 'one' }), { text: 'Done.' }]);
    const model = await startModelServer(replies);
    const asking = agentOf('openai', { simple: {} }, ['kit'], { coordination: { broadcast: 'human' } });
    const machine = await runningMachine(context, model, (home) => {
      writeKit(home);
      writeFileSync(join(home, 'asking.yaml'), JSON.stringify(asking));
    });
    const thread = new Conversation('asking');
    /** Does something at a new server, and then kills everything, and starts Temporal and the worker again. */
    const surviving = async (act: (url: string) => Promise<Got>): Promise<Got> => {
      const [url, server] = await startServing(context, machine);
      const got = await act(url);
      await Promise.all([killed(server), machine.killWorker(), machine.killServer()]);
      await machine.startServer();
      await machine.startWorker();
      return got;
    };
    const first = await surviving((url) => thread.say({ url }, 'Go.'));
    expect(first.interrupts).toMatchObject([{ reason: 'input_required', message: 'Dark or light?' }]);
    const answered = [{ interruptId: first.interrupts[0]!.id, status: 'resolved' as const, payload: 'Dark' }];
    const second = await surviving((url) => thread.run({ url }, { resume: answered }));
    expect(second.interrupts).toMatchObject([{ reason: 'tool_call' }]);
    const payload = { approved: true };
    const allowed = [{ interruptId: second.interrupts[0]!.id, status: 'resolved' as const, payload }];
    const [url] = await startServing(context, machine);
    const third = await thread.run({ url }, { resume: allowed });
    expect(third).toMatchObject({ error: undefined, outcome: { type: 'success' } });
    expect(thread.said).toEqual(['Done.']);
    expect(model.requests).toHaveLength(3);
  },
);
