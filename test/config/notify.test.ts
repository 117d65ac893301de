import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/config/kinds.ts';
import { describeNotify, missingForNotify, webhookSecret, workerNotify } from '../../src/config/notify.ts';
import { problemText } from '../../src/config/problems.ts';
import type { NotifyEntry } from '../../src/protocol/settings.ts';
import { hookSecret } from '../support/hook-server.ts';

const url = 'https://example.com/hook';
const entry = { url, events: ['question', 'approval', 'final'], format: 'standard' };

const solo = {
  modules: [
    { module: 'OfflineLLM', id: 'llm' },
    { module: 'SimpleToolOrchestrator', id: 'loop' },
  ],
  exchange: [
    { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
  ],
};
const kinds: Array<[kind: string, config: object]> = [
  ['a team', {}],
  ['one agent', solo],
  ['research', { research: {} }],
  ['a plan', { plan: {} }],
];

test.each(kinds)('notify stands at the top of %s, where everything but the address has a default', (_, config) => {
  const checked = checkConfig({ ...config, notify: [{ url }] });
  expect(checked.ok && JSON.stringify(checked.value)).toContain(JSON.stringify([entry]).slice(1, -1));
});

test.each([
  [
    { url: 'example.com' },
    'notify[0].url: must be an address with http:// or https:// and without a password, or ${NAME}',
  ],
  [{ url: 'ftp://example.com' }, /^notify\[0\]\.url: must be an address/],
  [{ url: 'https://me:pass@example.com' }, /^notify\[0\]\.url: /],
  [{ url, events: [] }, 'notify[0].events: must not be empty'],
  [{ url, events: ['finished'] }, /^notify\[0\]\.events\[0\]: .*question.*approval.*final/],
  [{ url, format: 'teams' }, /^notify\[0\]\.format: .*standard.*slack/],
  [
    { url, secret: 'x' },
    /^notify\[0\]\.secret: unknown key; did you mean secret_env\? valid keys: url, events, format, secret_env/,
  ],
  [{ url, secret_env: 'two words' }, /^notify\[0\]\.secret_env: is no name of a variable/],
  [{ url, format: 'slack', secret_env: 'NAME' }, /^notify\[0\]\.secret_env: is for format: standard alone/],
  [{ url, secret_env: hookSecret }, /^notify\[0\]\.secret_env: .*is no name of a variable/],
])('a mistake is named with its key: %j', (written, problem) => {
  const checked = checkConfig({ notify: [written] });
  const texts = checked.ok ? [] : checked.problems.map((each) => problemText(each));
  expect(texts.join('\n')).not.toContain(hookSecret);
  expect(texts).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
});

describe('the secret of an entry', () => {
  const of = (secret_env?: string) => ({ ...entry, secret_env }) as NotifyEntry;

  test('is that of the variable it names, else of REPRISE_WEBHOOK_SECRET, else there is none', () => {
    const other = `whsec_${Buffer.alloc(24, 'x').toString('base64')}`;
    const environment = { MINE: other, REPRISE_WEBHOOK_SECRET: hookSecret };
    expect(webhookSecret(of('MINE'), environment).secret?.toString()).toBe('x'.repeat(24));
    expect(webhookSecret(of(), environment).secret?.toString()).toBe('thirty-two bytes of a secret, ok');
    expect(webhookSecret(of(), {})).toEqual({});
  });

  test.each([undefined, 'plain words that are no secret of Standard Webhooks', 'whsec_c2hvcnQ='])(
    'is refused where it is none, without being shown: %s',
    (value) => {
      const [problem = '', ...rest] = missingForNotify([of('MINE')], { MINE: value });
      expect(rest).toEqual([]);
      expect(problem).toMatch(/^notify\[0\]\.secret_env: MINE must be set to a secret: echo whsec_/);
      if (value !== undefined) expect(problem).not.toContain(value);
    },
  );
});

test('what an address lacks is named, and a person is shown hosts alone', () => {
  const slack = { ...entry, url: '${SLACK_URL}', format: 'slack' } as NotifyEntry;
  expect(missingForNotify([slack], {})).toEqual(['notify[0].url: SLACK_URL is not set']);
  expect(missingForNotify([slack], { SLACK_URL: 'https://hooks.slack.com/services/T/B/x' })).toEqual([]);
  const plain = { ...slack, url: `${url}?key=1`, format: 'standard' as const };
  expect(describeNotify([slack, plain], {})).toEqual([
    'Tells ${SLACK_URL} of question, approval, final (slack).',
    'Tells example.com of question, approval, final (unsigned: REPRISE_WEBHOOK_SECRET is not set).',
  ]);
});

describe('REPRISE_NOTIFY', () => {
  test('is written as notify in a configuration', () => {
    expect(workerNotify({})).toEqual([]);
    expect(workerNotify({ REPRISE_NOTIFY: JSON.stringify([{ url }]) })).toEqual([entry]);
  });

  test.each([
    ['{', /^REPRISE_NOTIFY: it must be JSON, such as /],
    ['{"url": "x"}', /^REPRISE_NOTIFY: /],
    ['[{"url": "x"}]', /^REPRISE_NOTIFY: \[0\]\.url: must be an address/],
    ['[{"url": "${SLACK_URL}"}]', 'REPRISE_NOTIFY: notify[0].url: SLACK_URL is not set'],
  ])('ends a worker at once that has it wrong: %s', (text, problem) => {
    expect(() => workerNotify({ REPRISE_NOTIFY: text })).toThrow(problem);
  });
});
