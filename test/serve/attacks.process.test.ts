import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { longestBody } from '../../src/serve/door.ts';
import { listen } from '../../src/serve/listen.ts';
import { Home, type RunningProcess } from '../support/cli.ts';
import { teamScript } from '../support/team-script.ts';

let home: Home;
let serving: RunningProcess;
let url: URL;
let token: string;

beforeAll(async () => {
  home = await Home.withModel(teamScript());
  serving = home.startProcess(['serve', '--port', '0']);
  await serving.says(/Ctrl-C ends it/);
  const [, address = '', printed = ''] = /^Pages (\S+)\/login\?token=(\S+)$/m.exec(serving.stderr) ?? [];
  url = new URL(address);
  token = printed;
});
afterAll(async () => {
  serving.signal('SIGINT');
  await serving.finished;
  await home.remove();
});

/** The status with which a request is answered. */
async function statusOf(path: string, init: RequestInit = {}, shown = token): Promise<number> {
  const headers = { authorization: `Bearer ${shown}`, 'content-type': 'application/json' };
  const send = () => fetch(new URL(path, url), { ...init, headers });
  // A connection that was kept may be closed at the moment in which it is used again.
  const answer = await send().catch((error: unknown) => {
    if (init.body != null) throw error;
    return send();
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function connected(port = Number(url.port)): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes as they are. @returns all that is answered until the server closes the connection */
async function raw(bytes: string): Promise<string> {
  const socket = await connected();
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end(bytes);
  await closed;
  return Buffer.concat(pieces).toString();
}

/** Does something while a run goes on beside it, which must end as any other. */
async function besideARun(work: () => Promise<void>): Promise<void> {
  await using reprise = await home.client();
  const run = await reprise.startOrchestration({ task: 'A question' });
  await work();
  expect((await run.result()).outcome).toBe('submitted');
  expect(await statusOf('/health')).toBe(200);
}

describe('who has no business here', { timeout: 300_000 }, () => {
  test.each([
    ['a request that is none', 'nonsense\r\n\r\n'],
    ['a request line without an end', `GET /${'a'.repeat(100_000)}`],
    ['headers without an end', `GET / HTTP/1.1\r\nhost: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['two lengths (smuggling)', 'POST /api/v1/runs HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcde'],
    [
      'a length and chunks (smuggling)',
      'POST / HTTP/1.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['another protocol', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a path that is no path', 'GET \\..\\..\\etc\\passwd HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'],
    ['another host in its first line', 'GET http://evil.example/api/v1/runs HTTP/1.1\r\nhost: evil.example\r\n\r\n'],
  ])('gets nothing for %s', async (_, bytes) => {
    expect(await raw(bytes)).toMatch(/^(?:HTTP\/1\.1 4\d\d |$)/);
    expect(await statusOf('/health')).toBe(200);
  });

  test('cannot send what is too long, with its length or without', async () => {
    const body = 'a'.repeat(longestBody + 1);
    expect(await statusOf('/api/v1/runs', { method: 'POST', body })).toBe(413);
    // A client is told not to use the connection again.
    expect(
      await raw(`POST /api/v1/runs HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: ${body.length}\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 413[^]*\r\nconnection: close\r\n/i);
    const pieces = new ReadableStream({
      start(controller) {
        for (let left = 5; left > 0; left--) controller.enqueue(new TextEncoder().encode('a'.repeat(1_000_000)));
        controller.close();
      },
    });
    const chunked = { method: 'POST', body: pieces, duplex: 'half' } as RequestInit;
    expect(await statusOf('/api/v1/runs', chunked)).toBe(413);
  });

  test('can do nothing with a stolen token that may only read', async () => {
    const read = (await home.run(['token', '--read'])).stdout.trim();
    for (const path of ['/api/v1/runs', '/v1/chat/completions', '/v1/responses', '/agui/reprise', '/mcp', '/a2a'])
      expect([path, await statusOf(path, { method: 'POST', body: '{}' }, read)]).toEqual([path, 403]);
    for (const method of ['PUT', 'DELETE', 'PATCH']) expect(await statusOf('/api/v1/runs', { method }, read)).toBe(403);
    expect(await statusOf('/api/v1/runs', {}, read)).toBe(200);
  });

  test('is another user of this machine, who can read no token', (context) => {
    expect(statSync(join(home.path, 'token')).mode & 0o077).toBe(0);
    context.skip(process.getuid?.() !== 0, 'only root can be another user');
    const program = [
      'import sys, urllib.error, urllib.request',
      'try: found = open(sys.argv[1]).read()',
      "except OSError: found = 'unreadable'",
      'try: status = urllib.request.urlopen(sys.argv[2]).status',
      'except urllib.error.HTTPError as error: status = error.code',
      'print(found, status)',
    ].join('\n');
    const words = ['-c', program, join(home.path, 'token'), new URL('/api/v1/runs', url).href];
    const { stdout } = spawnSync('python3', words, { uid: 65_534, gid: 65_534, encoding: 'utf8', cwd: '/' });
    expect(stdout).toBe('unreadable 401\n');
  });

  test('opens 10,000 connections without asking anything, and keeps nobody out', async () => {
    await besideARun(async () => {
      const open: Socket[] = [];
      try {
        for (let hundreds = 0; hundreds < 100; hundreds++) {
          const some = await Promise.all(Array.from({ length: 100 }, () => connected()));
          for (const socket of some) socket.write('GET / HTTP/1.1\r\nhost: ');
          open.push(...some);
          if (hundreds % 10 === 0) expect(await statusOf('/health')).toBe(200);
        }
        expect(await statusOf('/api/v1/inbox')).toBe(200);
      } finally {
        for (const socket of open) socket.destroy();
      }
    });
  });

  test('stops within its headers, and is sent away, also where the daemon has accepted the connection', async () => {
    const passedOn = await listen(() => new Response('whole'));
    const daemon = createServer({ pauseOnConnect: true }, (socket) => {
      passedOn.take(socket);
      socket.resume();
    }).listen(0, '127.0.0.1');
    await once(daemon, 'listening');
    try {
      const answers = [Number(url.port), (daemon.address() as AddressInfo).port].map(async (port) => {
        const socket = await connected(port);
        const pieces: Buffer[] = [];
        socket.on('data', (piece: Buffer) => pieces.push(piece));
        socket.write('GET / HTTP/1.1\r\nhost: ');
        await once(socket, 'close');
        return Buffer.concat(pieces).toString().split('\r\n')[0];
      });
      const late = 'HTTP/1.1 408 Request Timeout';
      expect(await Promise.all(answers)).toEqual([late, late]);
    } finally {
      daemon.close();
      await passedOn.close();
    }
  });

  test('reads slowly what it has asked for, and keeps nobody out', async () => {
    await besideARun(async () => {
      const open = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const socket = await connected();
          socket.pause();
          socket.write(
            // Fewer in all than one token may ask for at once.
            `GET /api/v1/openapi.json HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${token}\r\n\r\n`.repeat(
              8,
            ),
          );
          return socket;
        }),
      );
      expect(await statusOf('/api/v1/inbox')).toBe(200);
      for (const socket of open) socket.destroy();
    });
  });
});
