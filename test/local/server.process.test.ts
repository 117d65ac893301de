import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { freePort, hiddenPlace } from '../../src/local/ports.ts';
import { endProcess } from '../../src/util/processes.ts';
import { answers, startServer, type ServerSettings } from '../../src/local/server.ts';

let folder: string;
let settings: ServerSettings;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-server-'));
  settings = {
    cli: inject('temporal').cli,
    port: await freePort(),
    log: join(folder, 'logs', 'temporal.log'),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function listening(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** The status of an answer; `fetch` itself connects to no port that browsers do not connect to. */
async function statusOf(url: string): Promise<number | undefined> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  response.destroy();
  return response.statusCode;
}

/** A program that stands for the Temporal CLI. */
function program(lines: string): string {
  const file = join(folder, 'temporal');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return file;
}

test('a started server answers, with its Web UI and a database in WAL mode', async () => {
  const ui = await hiddenPlace();
  const database = join(folder, 'data', 'temporal.db');
  const server = await startServer({ ...settings, ui, database });
  try {
    expect(server.address).toBe(`127.0.0.1:${settings.port}`);
    expect(await answers(server.address)).toBe(true);
    expect(await statusOf(`http://${ui.host}:${ui.port}/`)).toBe(200);
    expect(existsSync(`${database}-wal`)).toBe(true);
  } finally {
    await endProcess(server.process.pid!);
  }
  expect(await answers(server.address)).toBe(false);
});

test('one that ends before it answers is started again', async () => {
  const began = join(folder, 'began');
  const cli = program(`if [ ! -e ${began} ]; then touch ${began}; exit 2; fi\nexec ${settings.cli} "$@"`);
  const server = await startServer({ ...settings, cli });
  try {
    expect(existsSync(began)).toBe(true);
    expect(await answers(server.address)).toBe(true);
  } finally {
    await endProcess(server.process.pid!);
  }
});

test('a port that is taken is named, and nothing is started', async () => {
  await using taken = await listening();
  await expect(startServer({ ...settings, port: taken.port })).rejects.toThrow(
    `Port ${taken.port} is taken by another program`,
  );
  expect(existsSync(settings.log)).toBe(false);
});

test('a server that ends before it answers: the error has the end of its log', async () => {
  await using taken = await listening();
  await expect(startServer({ ...settings, ui: { host: '127.0.0.1', port: taken.port } })).rejects.toThrow(
    new RegExp(`The Temporal server ended \\(1\\):\n(.|\n)*${taken.port}`),
  );
  const cli = program('echo first; echo "the disk is full" >&2; exit 3');
  await expect(startServer({ ...settings, cli })).rejects.toThrow(
    /^The Temporal server ended \(3\):\n(.|\n)*the disk is full$/,
  );
});

test('a Temporal CLI that is not there', async () => {
  await expect(startServer({ ...settings, cli: join(folder, 'none') })).rejects.toThrow(
    /The Temporal server cannot be started: .*none ENOENT/,
  );
});

test('a Temporal CLI whose server takes orders by HTTP all the same is refused, and its server is ended', async () => {
  const open = `--dynamic-config-value 'frontend.httpAllowedHosts=["*"]'`;
  const cli = program(`exec ${settings.cli} "$@" ${open}`);
  await expect(startServer({ ...settings, cli })).rejects.toThrow(
    `The Temporal CLI at ${cli} is too old: its server lets`,
  );
  await expect.poll(() => answers(`127.0.0.1:${settings.port}`)).toBe(false);
});

test('who only asks a server does not load `fetch`, which every command would', () => {
  const server = new URL('../../src/local/server.ts', import.meta.url);
  const told = `await import(${JSON.stringify(server.href)}); console.log(process.moduleLoadList.join('\\n'))`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', told], { encoding: 'utf8' });
  expect(loaded).toContain('http2');
  expect(loaded).not.toContain('undici');
});
