import { expect, test } from 'vitest';
import { progressIn } from '../../src/local/background.ts';

test.for<[what: string, added: string, told: string]>([
  ['what it says', 'Fetching Temporal …\nTemporal 127.0.0.1:7233\n', 'Fetching Temporal …\nTemporal 127.0.0.1:7233'],
  [
    'no warning about another run',
    'Temporal 127.0.0.1:7233\nWARN Activity failed: openai gpt-x: 429 Slow down (ask-1, model-3, try 4)\n',
    'Temporal 127.0.0.1:7233',
  ],
  ['nothing where there are warnings alone', 'WARN Workflow task failed: no key (ask-1)\nERROR gone (ask-2)\n', ''],
  ['the same in JSON', '{"time":"2026-01-18T17:09:44.000Z","level":"WARN","message":"Activity failed"}\n', ''],
  ['nothing of an older worker', 'Idle for 10 minutes: ending\nTemporal 127.0.0.1:7233\n', 'Temporal 127.0.0.1:7233'],
])('while a worker starts in the background, a command tells %s', ([, added, told]) => {
  expect(progressIn(added)).toBe(told);
});
