import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../src/local/ports.ts';
import type { InputResponse } from '../../../src/protocol/tools/elicitation.ts';
import { callerOf, endProcess, startHttpServer, stdioServer } from '../../support/mcp.ts';
import { toolBench } from '../../support/tool-bench.ts';
import type { McpServer } from '../../../src/protocol/settings.ts';

const bench = toolBench();
afterAll(() => bench.close());

const servers: Record<string, McpServer> = { stdio: stdioServer(bench.folder).server };
beforeAll(async () => {
  const port = await freePort();
  const child = await startHttpServer(port);
  servers['HTTP'] = { name: 'everything', url: `http://127.0.0.1:${port}/mcp` };
  return () => endProcess(child);
});

const feature = 'demo://resource/static/document/features.md';

/** Each tool of the official sample server: its arguments, and what its result must be. */
const tools: Record<string, [args: object, result: RegExp]> = {
  echo: [{ message: 'hello' }, /^Echo: hello$/],
  'get-annotated-message': [
    { messageType: 'error', includeImage: true },
    /^Error: Operation failed\n\[image 1: image\/png, 4\.0 KB\]$/,
  ],
  'get-env': [{}, /"PATH":/],
  'get-resource-links': [{ count: 2 }, /\n\[resource: Text Resource 2, demo:\/\/resource\/dynamic\/text\/2 \(.*\)\]$/],
  'get-resource-reference': [
    { resourceType: 'Text', resourceId: 1 },
    /\n\[resource: demo:\/\/resource\/dynamic\/text\/1\]\nResource 1: This is a plaintext resource/,
  ],
  'get-structured-content': [{ location: 'Chicago' }, /^\{"temperature":36,/],
  'get-sum': [{ a: 2, b: 3 }, /^The sum of 2 and 3 is 5\.$/],
  'get-tiny-image': [{}, /^Here's the image you requested:\n\[image 1: image\/png, 4\.0 KB\]\nThe image above/],
  'gzip-file-as-resource': [
    { name: 'hello.gz', data: 'data:text/plain,hello', outputType: 'resource' },
    /^\[resource: demo:\/\/resource\/session\/hello\.gz, application\/gzip, 25 bytes\]$/,
  ],
  'toggle-simulated-logging': [{}, /^Started simulated/],
  'toggle-subscriber-updates': [{}, /^Started simulated/],
  'trigger-long-running-operation': [
    { duration: 0.2, steps: 2 },
    /^Long running operation completed\. Duration: 0\.2 seconds, Steps: 2\.$/,
  ],
  'trigger-elicitation-request': [{}, /User provided the requested information!\nUser inputs:\n- Name: Ada/],
  'trigger-url-elicitation': [
    { url: 'https://example.com/one', errorPath: true },
    /User completed the URL elicitation|User accepted|accept/,
  ],
  everything_list_resources: [{}, new RegExp(`^${feature} - features\\.md; `, 'm')],
  everything_read_resource: [{ uri: feature }, /^# Everything Server - Features/],
};

describe.each(['stdio', 'HTTP'])('the official sample server over %s', (over) => {
  test('offers these tools', async () => {
    const { tools: listed } = await bench.list({ mcpServers: [servers[over]!] });
    expect(listed.map(({ name }) => name).toSorted()).toEqual([...Object.keys(tools), 'read_result'].toSorted());
  });

  test.each(Object.keys(tools))('runs %s', async (name) => {
    const [args, expected] = tools[name]!;
    const call = callerOf(bench, servers[over]!);
    let result = await call(name, args, { asks: true }).result;
    while (result.input !== undefined) {
      const { requests, state } = result.input;
      const responses = Object.fromEntries(
        requests.map(({ form, key }): [string, InputResponse] => [
          key,
          { action: 'accept', ...(form && { content: { name: 'Ada' } }) },
        ]),
      );
      result = await call(name, args, { asks: true, input: { responses, state } }).result;
    }
    expect(result).toMatchObject({ status: 'ok', text: expect.stringMatching(expected) });
  });
});
