import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const proxy = fileURLToPath(new URL('../../src/util/proxy.ts', import.meta.url));

/** Has a process of its own ask for addresses. @returns what came back */
async function asking(variables: Record<string, string>, addresses: string[]): Promise<string[]> {
  const script = `
    import { get } from 'node:http';
    import { useProxy } from ${JSON.stringify(proxy)};
    useProxy(process.env);
    const texts = [];
    for (const url of ${JSON.stringify(addresses)}) texts.push(await (await fetch(url)).text());
    const { port } = new URL(${JSON.stringify(addresses.at(-1))});
    get({ port, host: '127.0.0.1' }, () => { console.log(JSON.stringify(texts)); process.exit(); });`;
  const args = [...process.execArgv, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: '', ...variables } });
  return JSON.parse(stdout) as string[];
}

test('models and searches are asked through the proxy that the environment names, this machine never is', async () => {
  const server = createServer(({ url }, response) => response.end(url)).listen(0, '127.0.0.1');
  const asked: string[] = [];
  const between = createServer().listen(0, '127.0.0.1');
  between.on('connect', ({ url = '' }, from) => {
    asked.push(url);
    const to = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      from.write('HTTP/1.1 200 OK\r\n\r\n');
      from.pipe(to).pipe(from);
    });
  });
  await Promise.all([once(server, 'listening'), once(between, 'listening')]);
  const { port } = server.address() as AddressInfo;
  const address = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  const [here, there] = [`http://127.0.0.1:${port}/here`, 'http://models.invalid/there'];
  expect(await asking({ HTTP_PROXY: address, https_proxy: `http://${address}` }, [there, here])).toEqual([
    '/there',
    '/here',
  ]);
  expect(asked).toEqual(['models.invalid:80']);
  const few = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'other.invalid' };
  await expect(asking(few, [there, here])).rejects.toThrow('ECONNREFUSED 127.0.0.1:9');
  between.close();
  server.close();
});

test('a proxy that cannot be one ends the command with the name of its variable, and without what it holds', async () => {
  const env = { PATH: '', HTTPS_PROXY: 'socks5://me:password@proxy:1080' };
  const command = promisify(execFile)(process.execPath, [...process.execArgv, main, '--version'], { env });
  await expect(command).rejects.toMatchObject({
    code: 2,
    stderr: 'HTTPS_PROXY is no address of a proxy, such as http://proxy.example.com:3128\n',
  });
});
