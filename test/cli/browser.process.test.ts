import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openInBrowser } from '../../src/cli/browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'browser-'));
const opened = join(folder, 'opened');
// Built-ins of the shell alone, since nothing else is on this PATH.
writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$1" >>'${opened}'\n`, { mode: 0o755 });
afterAll(() => rmSync(folder, { recursive: true }));

const opens = (address: string, variables: object): Promise<void> =>
  openInBrowser({ PATH: folder, ...variables }, address);

test.runIf(process.platform === 'linux')(
  'an address is opened where there is a screen, or a browser that is named, as by an editor at another machine',
  async () => {
    await opens('https://no.example/', {});
    await opens('file:///etc/passwd', { DISPLAY: ':0' });
    const all = ['BROWSER', 'DISPLAY', 'WAYLAND_DISPLAY'].map((name) => [name, `https://${name}/`] as const);
    await Promise.all(all.map(([name, address]) => opens(address, { [name]: 'one' })));
    await vi.waitFor(() =>
      expect(readFileSync(opened, 'utf8').trim().split('\n').sort()).toEqual(all.map(([, address]) => address)),
    );
  },
);
