import { expect, test } from 'vitest';
import { freePort } from '../../src/local/ports.ts';

test('a port that there is not is as one that is taken, such as that of a Web UI a thousand above a high one', async () => {
  expect(await freePort(66_000)).toBeLessThan(65_536);
});
