import type { ServerResponse } from 'node:http';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorized } from '../../src/activities/authorize.ts';
import { bodyOf } from '../../src/activities/webhooks/body.ts';
import { createSendWebhook } from '../../src/activities/webhooks/send.ts';
import type { Activities } from '../../src/protocol/activities.ts';
import type { Notification } from '../../src/protocol/notify.ts';
import type { NotifyEntry } from '../../src/protocol/settings.ts';
import type { Environment } from '../../src/util/environment.ts';
import { hookSecret, startHookServer, verified, type HookServer } from '../support/hook-server.ts';
import { inRun, machine, worker } from '../trust/stages.ts';

let hooks: HookServer;
beforeEach(async () => {
  hooks = await startHookServer();
});
afterEach(() => hooks.close());

const run = { workflowId: 'q1', workflow: 'orchestration', task: 'Choose <a> mode' };
const asked: Notification = {
  type: 'question',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: {
    ...run,
    kind: 'question',
    questionId: 'q1',
    from: 'agent_a',
    question: 'Which?',
    askedAt: '',
    expiresAt: null,
  },
};
const ended = (answer: string): Notification => ({
  type: 'final',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { ...run, outcome: 'submitted', agent: 'agent_a', answer },
});

const entryOf = (rest: Partial<NotifyEntry> = {}): NotifyEntry => ({
  url: hooks.url,
  events: ['question'],
  format: 'standard',
  seal: 'checked before',
  ...rest,
});

const send = (
  entry: NotifyEntry,
  environment: Environment = { REPRISE_WEBHOOK_SECRET: hookSecret },
  workflowId = 'n1',
) =>
  new MockActivityEnvironment({ workflowExecution: { workflowId, runId: 'r' } }, { logger: new DefaultLogger('ERROR') })
    .run(createSendWebhook({ environment }), entry, asked)
    .then(
      () => undefined,
      (error: unknown) => error,
    );

describe('what is posted', () => {
  test('is signed, and its id is that of the workflow that sends it', async () => {
    expect(await send(entryOf())).toBeUndefined();
    const [hook] = hooks.received;
    expect(verified(hook!)).toMatchObject({ type: 'question', data: { question: 'Which?' } });
    expect(hook?.headers).toMatchObject({ 'webhook-id': 'msg_n1', 'content-type': 'application/json' });
  });

  test('has no signature where there is no secret, or the worker does not trust who has brought the address', async () => {
    await send(entryOf(), {});
    await send(entryOf({ seal: undefined }));
    for (const { headers } of hooks.received) expect(headers).not.toHaveProperty('webhook-signature');
    expect(hooks.received).toHaveLength(2);
  });

  test('goes where the variables of the worker say, which no failure shows', async () => {
    expect(
      await send(entryOf({ url: '${WHERE}/services/secret', format: 'slack' }), { WHERE: hooks.url }),
    ).toBeUndefined();
    expect(hooks.received[0]?.path).toBe('/services/secret');
    const failures = [
      await send(entryOf({ url: '${WHERE}' })),
      await send(entryOf({ url: '${WHERE}' }), { WHERE: 'https://me:password@example.com/x' }),
    ];
    for (const failure of failures)
      expect(failure).toMatchObject({ message: 'WHERE on this worker gives no address', nonRetryable: false });
  });
});

describe('a receiver', () => {
  test.each([
    [200, undefined],
    [204, undefined],
    [302, true],
    [400, true],
    [404, true],
    [410, true],
    [408, false],
    [429, false],
    [500, false],
    [503, false],
  ])('that answers %i: final failure %s', async (status, isFinal) => {
    hooks.answers.push((response: ServerResponse) => response.writeHead(status, { location: '/elsewhere' }).end());
    const failure = await send(entryOf());
    if (isFinal === undefined) expect(failure).toBeUndefined();
    else
      expect(failure).toMatchObject({
        type: 'NotDelivered',
        message: `${new URL(hooks.url).host} answered with status ${status}`,
        nonRetryable: isFinal,
      });
    expect(hooks.received).toHaveLength(1);
  });

  test('says when it wants to be asked again', async () => {
    hooks.answers.push((response: ServerResponse) => response.writeHead(429, { 'retry-after': '7' }).end());
    expect(await send(entryOf())).toMatchObject({ nextRetryDelay: 7000 });
  });

  test('that cuts the connection, or is not there, is tried again', async () => {
    hooks.answers.push(null);
    expect(await send(entryOf())).toMatchObject({ type: 'NotDelivered', nonRetryable: false });
    await hooks.close();
    expect(await send(entryOf({ url: `${hooks.url}/a/secret/path` }))).toMatchObject({
      message: `${new URL(hooks.url).host} cannot be reached: ECONNREFUSED`,
      nonRetryable: false,
    });
    hooks = await startHookServer();
  });
});

describe('where a person can look', () => {
  const whereOf = (notification: Notification, environment: Environment = {}): unknown => {
    const { data } = JSON.parse(bodyOf('standard', notification, environment)) as { data: Record<string, unknown> };
    return data['url'] ?? data['command'];
  };

  test.each([
    [asked, 'reprise answer q1 --question q1'],
    [{ ...asked, data: { ...asked.data, kind: 'tool', questionId: 't1' } }, 'reprise approve q1 t1'],
    [{ ...asked, data: { ...asked.data, kind: 'approval' } }, 'reprise decide q1 --accept'],
    [ended('A'), 'reprise show q1'],
    [{ ...asked, data: { ...asked.data, workflowId: 'a b;c' } }, "reprise answer 'a b;c' --question q1"],
  ])('is a command that can be typed, where no address is known: %#', (notification, command) => {
    expect(whereOf(notification as Notification)).toBe(command);
  });

  test('is the page where one answers at REPRISE_PUBLIC_URL', () => {
    const environment = { REPRISE_PUBLIC_URL: 'https://reprise.example/' };
    const odd = { ...asked, data: { ...asked.data, workflowId: 'a/b c|d>' } };
    expect(whereOf(odd, environment)).toBe('https://reprise.example/runs/a%2Fb%20c%7Cd%3E/answer/q1');
  });
});

describe('a message for Slack', () => {
  const textOf = (notification: Notification, environment: Environment = {}): string =>
    (JSON.parse(bodyOf('slack', notification, environment)) as { text: string }).text;

  test('says who waits for what, and where to answer', () => {
    const url = { REPRISE_PUBLIC_URL: 'https://reprise.example' };
    expect(textOf(asked, url)).toBe(
      'agent_a waits for a person · run q1 · Choose &lt;a&gt; mode\n> Which?\n<https://reprise.example/runs/q1/answer/q1|Look and answer>',
    );
    expect(textOf(ended('One.\nTwo.'))).toBe(
      'Ended (submitted) · run q1 · Choose &lt;a&gt; mode\n> One.\n> Two.\n`reprise show q1`',
    );
  });

  test('says until when it waits', () => {
    const timed = { ...asked, data: { ...asked.data, expiresAt: '2026-11-26T09:35:00.000Z' } } as Notification;
    expect(textOf(timed)).toMatch(/^agent_a waits for a person until 2026-11-26 09:35:00 UTC · run q1/);
  });

  test('has no link, mention or channel of what a model has written, and stays within what Slack takes', () => {
    const text = textOf(ended('<!channel> <@U1> <https://evil.example|Log in> & &lt;\n<!here>'));
    expect(text).toContain(
      '> &lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|Log in&gt; &amp; &amp;lt;\n> &lt;!here&gt;',
    );
    expect(textOf(ended('on\u202eEVIL\u202c'))).toContain('> onEVIL\n');
    for (const character of ['<', '&', '😀', '\n']) {
      const long = textOf(ended(character.repeat(10_000)));
      expect(long.length).toBeLessThan(4000 + long.split('\n').length * 2);
      expect(long.replaceAll(/&(amp|lt|gt);/g, '')).not.toMatch(/[<&]/);
      expect(long.isWellFormed()).toBe(true);
    }
  });
});

describe('a worker sends', () => {
  const here = machine();
  afterEach(() => here[Symbol.dispose]());
  const parent = (workflowId: string) => ({
    withAbortSignal: (_: AbortSignal, ask: () => unknown) => ask(),
    workflow: {
      getHandle: () => ({
        describe: async () => ({ raw: { workflowExecutionInfo: { parentExecution: { workflowId } } } }),
      }),
    },
  });

  test('only for the run that has started the notification, and only what that run was prepared with', async () => {
    const sent: NotifyEntry[] = [];
    const activities = { sendWebhook: async (entry: NotifyEntry) => void sent.push(entry) } as unknown as Activities;
    const sealed = await inRun({ workflowId: 'q1' }, 'orchestration', async () => {
      const { guard } = worker(here);
      const { seal: _, ...entry } = entryOf({ secret_env: 'MINE' });
      return { ...entry, seal: await guard.seal('notify', entry) };
    });
    const ask = (entry: NotifyEntry, startedBy: string, about = 'q1', allow: string[] = []) => {
      const guarded = authorized(activities, worker(here, allow).guard);
      const environment = new MockActivityEnvironment(
        { namespace: 'default', workflowExecution: { workflowId: 'n1', runId: 'r' }, workflowType: 'notification' },
        { logger: new DefaultLogger('ERROR'), client: parent(startedBy) as never },
      );
      const notification = { ...asked, data: { ...asked.data, workflowId: about } };
      return environment
        .run((...given: [NotifyEntry, Notification]) => guarded.sendWebhook(...given), entry, notification)
        .then(
          () => 'sent',
          (error: Error) => error.message,
        );
    };
    expect(await ask(sealed, 'q1')).toBe('sent');
    expect(await ask(sealed, 'mine')).toContain('not sent for what it has not started itself');
    expect(await ask(sealed, 'mine', 'mine')).toContain('its seal is that of another run');
    expect(await ask({ ...sealed, url: 'http://evil.example' }, 'q1')).toContain('--allow hosts=evil.example');
    const { seal: _, secret_env: __, ...stranger } = sealed;
    const { host } = new URL(hooks.url);
    expect(await ask(stranger, 'q1')).toContain(`--allow hosts=${host}`);
    expect(await ask({ ...stranger, seal: 'made up' }, 'q1', 'q1', [`hosts=${host}`])).toBe('sent');
    expect(sent).toEqual([sealed, stranger]);
    const leaking = { ...stranger, url: `${hooks.url}/\${OPENAI_API_KEY}` };
    expect(await ask(leaking, 'q1', 'q1', ['hosts=*'])).toContain('hand on the variable OPENAI_API_KEY');
  });
});
