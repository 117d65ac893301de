import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { pageTool } from '../../../src/tools/web/page.ts';
import { readDefinitions } from '../../../src/tools/read-definitions.ts';
import { pdfOf, pixel } from '../../support/files.ts';
import { stallOf } from '../../support/stall.ts';
import { toolBench } from '../../support/tool-bench.ts';

/** What the server has, by path: a media type and a content, or whatever it does with its response. */
const site: Record<string, [type: string, content: string | Buffer] | ((response: ServerResponse) => void)> = {};
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  const found = site[new URL(request.url ?? '', 'http://site').pathname];
  if (found === undefined) response.writeHead(404).end();
  else if (typeof found === 'function') found(response);
  else response.writeHead(200, found[0] === '' ? {} : { 'content-type': found[0] }).end(found[1]);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const bench = toolBench();
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await bench.close();
});
beforeEach(() => {
  for (const path of Object.keys(site)) delete site[path];
  asked = [];
});

/** The public internet of these tests is one address. */
const [tool] = readDefinitions([pageTool(bench.store, (address) => address === '127.0.0.1')]).tools;
const fetched = (path: string, rest: object = {}, workflowId = 'w'): Promise<unknown> => {
  const { signal } = new AbortController();
  return tool!.run({ url: base + path, ...rest }, { workflowId, agentId: 'a', idempotencyKey: 'k', signal });
};
/** The text below the page's address. */
const textAt = async (path: string, rest: object = {}): Promise<string> =>
  String(await fetched(path, rest)).replace(`${base}${path}\n\n`, '');
const failure = (message: RegExp) => ({ name: 'ToolError', message: expect.stringMatching(message) });

const sentence = 'Rye bread rises slowly, since its flour has little gluten, and so the dough rests for twelve hours. ';
const menu = '<nav><ul>' + '<li><a href="/shop">Shop now</a><a href="/offers">Offers</a>'.repeat(20) + '</ul></nav>';
const article = `<html><head><title>On rye</title></head><body>${menu}<main><h1>On rye</h1>
  <p>${sentence.repeat(4)}<a href="/flour?kind=rye#fine">Flour</a>, <a href="https://mill.example/a">a mill</a></p>
  <p>${sentence.repeat(4)}<a href="#top">up</a> <a href="javascript:alert(1)">x</a></p></main>
  <aside><p>Subscribe!</p></aside></body></html>`;

describe('a page', () => {
  test('is read by its main part, and says that there is more', async () => {
    site['/rye'] = ['text/html', article];
    const text = await textAt('/rye');
    expect(text).toMatch(/^On rye\nRye bread rises slowly/);
    expect(text).not.toMatch(/Shop now|Subscribe/);
    expect(text).toMatch(/\n\[the main part; with "whole": true there are [\d,]+ characters\]$/);
  });

  test('keeps where its links lead: within the site by their path', async () => {
    site['/rye'] = ['text/html', article];
    const text = await textAt('/rye');
    expect(text).toContain('Flour (/flour?kind=rye#fine), a mill (https://mill.example/a)');
    expect(text).toContain('up x');
  });

  test('has all of its text where that is wanted', async () => {
    site['/rye'] = ['text/html', article];
    const text = await textAt('/rye', { whole: true });
    expect(text).toMatch(/Shop now \(\/shop\)[^]*Rye bread[^]*Subscribe!$/);
  });

  test.each([
    ['that has no main part', `<h1>Index</h1><ul>${'<li><a href="/a">A</a>'.repeat(60)}</ul>`, /^Index\n- A \(\/a\)/],
    ['that is short', '<title>T</title><p>Twelve hours.</p>', /^T\nTwelve hours\.$/],
  ])('%s is read whole', async (_, html, text) => {
    site['/page'] = ['text/html', html];
    expect(await textAt('/page')).toMatch(text);
  });

  test('whose main part takes for ever is read whole', async () => {
    site['/deep'] = ['text/html', `<p>Beginning</p>${`<div><p>${sentence}`.repeat(4000)}`];
    expect(await textAt('/deep')).toMatch(/^Beginning\nRye bread/);
  });

  test('that states another base has its links from there', async () => {
    site['/page'] = ['text/html', '<base href="https://other.example/b/"><a href="c">C</a>'];
    expect(await textAt('/page')).toBe('C (https://other.example/b/c)');
  });

  test('of scripts only says so', async () => {
    site['/app'] = ['text/html', '<div id=root></div><script>start()</script>'];
    await expect(fetched('/app')).rejects.toMatchObject(failure(/\/app has no text; it may be made by scripts/));
  });
});

describe('a long text', () => {
  const long = Array.from({ length: 5000 }, (_, line) => `line ${line} 😀`).join('\n');

  test('comes in parts that join without a gap, each with a notice of where it goes on', async () => {
    site['/long'] = ['text/plain', long];
    let [text, from] = ['', 0 as number | undefined];
    while (from !== undefined) {
      const part = await textAt('/long', { from });
      const [, shown = '', start, next] =
        /^([^]*)\n\[characters (\d+) to \d+ of [\d,]+(?:; it goes on with "from": (\d+))?\]$/.exec(part) ?? [];
      expect(Number(start)).toBe(from);
      text += shown;
      from = next === undefined ? undefined : Number(next);
    }
    expect(text).toBe(long);
  });

  test('is fetched once, so that its parts are of the same text', async () => {
    site['/long'] = ['text/plain', long];
    await textAt('/long');
    site['/long'] = ['text/plain', `new ${long}`];
    expect(await textAt('/long', { from: 20_000 })).toContain(long.slice(20_010, 20_200));
    expect(asked).toHaveLength(1);
    await fetched('/long', { from: 20_000 }, 'another run');
    expect(asked).toHaveLength(2);
  });

  test('says how long it is where there is nothing left', async () => {
    site['/short'] = ['text/plain', 'Twelve.'];
    await expect(fetched('/short', { from: 7 })).rejects.toMatchObject(failure(/\/short has 7 characters$/));
  });
});

describe('a file', () => {
  test.each([
    ['JSON with a line for each value', 'application/json', '{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
    ['JSON that is none, as it stands', 'application/json', '{"a":[1,', '{"a":[1,'],
    ['JSON of a kind', 'application/geo+json', '{}', '{}'],
    ['CSV', 'text/csv; charset=utf-8', 'a,b\n1,2\n', 'a,b\n1,2'],
    ['Markdown', 'text/markdown', '# A', '# A'],
    ['a text without a type', '', 'Twelve.', 'Twelve.'],
    ['a page without a type', '', '<!doctype html><p>Twelve.', 'Twelve.'],
    ['a PDF', 'application/pdf', pdfOf(['Rye', 'Wheat']), '[page 1]\nRye\n\n[page 2]\nWheat'],
    ['a PDF that is called a page', 'text/html', pdfOf(['Rye']), '[page 1]\nRye'],
    ['a PDF without a type', 'application/octet-stream', pdfOf(['Rye']), '[page 1]\nRye'],
    ['UTF-8 with its mark', 'text/plain', '\ufeffcafé', 'café'],
    ['UTF-16 with its mark', 'text/plain', Buffer.from('\ufeffcafé', 'utf16le'), 'café'],
    ['the charset of the server', 'text/plain; charset="ISO-8859-1"', Buffer.from('café', 'latin1'), 'café'],
    ['the charset of the page', 'text/html', Buffer.from('<meta charset=iso-8859-1>café', 'latin1'), 'café'],
    [
      'the charset of XML',
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>é', 'latin1'),
      '<?xml version="1.0" encoding="iso-8859-1"?>é',
    ],
    ['a charset that nobody names', 'text/plain', Buffer.from('café', 'latin1'), 'café'],
    ['a charset that there is not', 'text/plain; charset=klingon', 'café', 'café'],
    ['Japanese', 'text/plain; charset=shift_jis', Buffer.from([0x83, 0x70, 0x83, 0x93]), 'パン'],
  ])('is read by what it is: %s', async (_, type, content, text) => {
    site['/file'] = [type, content];
    expect(await textAt('/file')).toBe(text);
  });

  test.each([
    [
      'an image',
      'image/png',
      pixel,
      /is an image \(image\/png, \d+ bytes\): it has no text\. "save_as": "file" keeps it/,
    ],
    [
      'a program',
      'application/x-msdownload',
      Buffer.from([0x4d, 0x5a, 0, 0xff]),
      /\(application\/x-msdownload\): it is a program for Windows/,
    ],
    [
      'what is called a text and is none',
      'text/plain',
      Buffer.from([0x4d, 0x5a, 0, 0xff]),
      /it is a program for Windows \(application\/vnd\.microsoft\.portable-executable\), which is not read/,
    ],
    ['a damaged PDF', 'application/pdf', Buffer.from('%PDF-1.4 nothing'), /PDF/],
    ['nothing', 'text/plain', '', /\/file is empty$/],
  ])('that has no text is reported: %s', async (_, type, content, message) => {
    site['/file'] = [type, content];
    await expect(fetched('/file')).rejects.toMatchObject(failure(message));
  });

  test('of JSON that would grow without limit when laid out is given up, and holds nothing up', async () => {
    const depth = 1_000_000;
    site['/deep'] = ['application/json', '['.repeat(depth) + ']'.repeat(depth)];
    const longest = await stallOf(async () => {
      await fetched('/deep').catch((error: unknown) => expect(error).toMatchObject({ name: 'ToolError' }));
    });
    expect(longest).toBeLessThan(500);
  });
});

describe('save_as', () => {
  const call = (name: string, args: object) =>
    bench.call({ name, source: { package: 'builtin.attachments' }, workspace: { tree: null, mounts: [] } }, args)
      .result;

  test('keeps the original, which the tools for attachments read', async () => {
    site['/sales'] = ['text/csv', 'region,units\nNorth,3\nSouth,4\n'];
    expect(await fetched('/sales', { save_as: 'sales.csv' })).toBe(
      `${base}/sales\nSaved as sales.csv (table, 29 bytes)\n\n` +
        'Columns: region, units\n2 rows:\nNorth | 3\nSouth | 4',
    );
    const sql = 'SELECT sum("units") AS all_units FROM data';
    expect((await call('query_table', { name: 'sales.csv', sql })).text).toContain('"rows":[[7]]');
  });

  test('keeps images and PDFs by what they are', async () => {
    site['/picture'] = ['image/png', pixel];
    site['/paper'] = ['application/pdf', pdfOf(['Rye'])];
    expect(await fetched('/picture', { save_as: 'p.png' })).toMatch(/\nSaved as p\.png \(image, \d+ bytes\)$/);
    expect(await fetched('/paper', { save_as: 'papers/p.pdf' })).toMatch(
      /\nSaved as p\.pdf \(pdf, \d+ bytes\)\n\n.*\nRye/,
    );
    expect((await call('read_attachment', { name: 'p.pdf' })).text).toBe('[page 1]\nRye');
  });

  test('keeps a text of another charset in UTF-8', async () => {
    site['/latin'] = ['text/csv; charset=iso-8859-1', Buffer.from('name\nJosé\n', 'latin1')];
    await fetched('/latin', { save_as: 'latin.csv' });
    expect((await call('read_attachment', { name: 'latin.csv' })).text).toBe('name\nJosé\n');
  });

  test('replaces what it has kept before, and nothing that came with the task', async () => {
    site['/a'] = ['text/plain', 'new'];
    const [content = ''] = await bench.store.putObjects([Buffer.from('t')]);
    await bench.store.putFile('w', {
      name: 'task.txt',
      kind: 'text',
      mediaType: 'text/plain',
      bytes: 1,
      content,
      from: 'attachment',
      text: await bench.store.putBlob('t'),
    });
    await expect(fetched('/a', { save_as: 'task.txt' })).rejects.toMatchObject(failure(/came with the task and stays/));
    await fetched('/a', { save_as: 'a.txt' });
    site['/a'] = ['text/plain', 'newer'];
    await fetched('/a', { save_as: 'a.txt' });
    expect((await call('read_attachment', { name: 'a.txt' })).text).toBe('newer');
  });

  test('keeps what has no text as well, but not without a name', async () => {
    site['/program'] = ['application/x-msdownload', Buffer.from([0x4d, 0x5a, 0, 0xff])];
    await fetched('/program', { save_as: 'a.exe' });
    expect((await call('list_attachments', {})).text).toMatch(/"a\.exe","kind":"binary","bytes":4/);
    await expect(fetched('/program', { save_as: '..' })).rejects.toMatchObject(failure(/is no name of a file$/));
  });

  test('takes the name of a server’s file only for its message', async () => {
    site['/get'] = (response) => {
      response.setHeader('content-type', 'application/zip');
      response.setHeader('content-disposition', `attachment; filename="a.exe"; filename*=UTF-8''..%2F..%2Fb%20c.exe`);
      response.end(Buffer.from([0x4d, 0x5a, 0, 0xff]));
    };
    await expect(fetched('/get')).rejects.toMatchObject(
      failure(/\/get: b c\.exe \(application\/zip\): it is a program/),
    );
  });
});

test('many large pages at once hold nothing up', async () => {
  site['/large'] = ['text/html', `<h1>Large</h1>${`<p>${sentence}</p>`.repeat(10_000)}`];
  const longest = await stallOf(async () => {
    const pages = await Promise.all(Array.from({ length: 6 }, (_, index) => textAt('/large', { from: index })));
    expect(pages.every((page) => page.includes('Rye bread'))).toBe(true);
  });
  expect(longest).toBeLessThan(500);
});
