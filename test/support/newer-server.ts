/**
 * A server of the generation of 2026-07-28 with a tool for each thing that a server may do, since the official sample server
 * speaks the older one: `node newer-server.ts stdio|PORT [EFFECTS]`. It prints a line to stderr when it is ready, and notes
 * effects in the file EFFECTS, one a line. The tool `grow` adds the tool `late`, and `shrink` takes it away.
 */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [where = 'stdio', effects] = process.argv.slice(2);

let hasLate = false;
let changed: () => void = () => {};

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] });

/** A red dot. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

const confirmation = (message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
  });

function build(): McpServer {
  const server = new McpServer(
    { name: 'newer', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {} } },
  );
  if (where === 'stdio') changed = () => server.sendToolListChanged();
  server.registerTool(
    'echo',
    { description: 'Echoes', inputSchema: z.object({ message: z.string() }) },
    ({ message }) => text(`Echo: ${message}`),
  );
  server.registerTool(
    'order',
    {
      description: 'Orders something, after it has asked for the size and for a confirmation',
      inputSchema: z.object({ what: z.string() }),
      outputSchema: z.object({ what: z.string(), size: z.number() }),
      annotations: { readOnlyHint: false },
    },
    ({ what }, { mcpReq }): CallToolResult | InputRequiredResult => {
      const state = mcpReq.requestState<string>();
      const { inputResponses } = mcpReq;
      if (state === undefined) {
        const size = acceptedContent(inputResponses, 'size', z.object({ size: z.number() }));
        if (size === undefined && inputResponse(inputResponses, 'size').kind === 'elicit') {
          return { ...text('No size, no order.'), structuredContent: { what, size: 0 } };
        }
        if (size !== undefined) {
          const sure = confirmation(`Order ${what} in ${size.size}?`);
          return inputRequired({ inputRequests: { sure }, requestState: `size ${size.size}` });
        }
        const requestedSchema = {
          type: 'object' as const,
          properties: { size: { type: 'integer' as const, minimum: 1, maximum: 9 } },
          required: ['size'],
        };
        return inputRequired({
          inputRequests: { size: inputRequired.elicit({ message: 'Which size?', requestedSchema }) },
        });
      }
      const size = Number(state.replace('size ', ''));
      if (acceptedContent<{ sure: boolean }>(inputResponses, 'sure')?.sure !== true) {
        return { content: [{ type: 'text', text: 'Not ordered.' }], structuredContent: { what: '', size } };
      }
      if (effects !== undefined) appendFileSync(effects, `${what} ${size}\n`);
      return { content: [{ type: 'text', text: `Ordered ${what} in ${size}.` }], structuredContent: { what, size } };
    },
  );
  server.registerTool('sign', { description: 'Has the person sign at an address' }, ({ mcpReq }) => {
    const signed = inputResponse(mcpReq.inputResponses, 'sign');
    if (signed.kind === 'elicit') return text(`Signed: ${signed.action}.`);
    const sign = inputRequired.elicitUrl({ message: 'Sign the contract', url: 'https://sign.example.com/1' });
    return inputRequired({ inputRequests: { sign } });
  });
  server.registerTool('put-off', { description: 'Is put off once' }, ({ mcpReq }) =>
    mcpReq.requestState<string>() === undefined ? inputRequired({ requestState: 'again' }) : text('Done now.'),
  );
  server.registerTool('show', { description: 'Shows everything that a result may hold' }, () => ({
    content: [
      { type: 'text', text: 'All of it:' },
      { type: 'image', mimeType: 'image/png', data: png },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'note://one', mimeType: 'text/plain', text: 'The first note.' } },
      { type: 'resource', resource: { uri: 'note://dot', mimeType: 'image/png', blob: png } },
      { type: 'resource_link', uri: 'note://two', name: 'two', description: 'The second note' },
    ],
  }));
  server.registerTool('fail', { description: 'Fails' }, () => ({ ...text('It failed.'), isError: true }));
  server.registerTool('wait', { description: 'Never ends by itself' }, ({ mcpReq: { signal } }) => {
    const { promise, resolve } = Promise.withResolvers<CallToolResult>();
    signal.addEventListener('abort', () => resolve(text('Stopped.')));
    return promise;
  });
  const turn = (name: string, to: boolean): void => {
    server.registerTool(name, { description: `Makes it ${name}` }, () => {
      hasLate = to;
      changed();
      return text(`It did ${name}.`);
    });
  };
  turn('grow', true);
  turn('shrink', false);
  if (hasLate || where === 'stdio') {
    const late = server.registerTool('late', { description: 'Comes late' }, () => text('Better than never.'));
    if (where === 'stdio') {
      late.update({ enabled: hasLate });
      changed = () => late.update({ enabled: hasLate });
    }
  }
  server.registerResource('one', 'note://one', { mimeType: 'text/plain', description: 'The first note' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'The first note.' }],
  }));
  return server;
}

if (where === 'stdio') {
  serveStdio(build);
  console.error('ready');
} else {
  const handler = createMcpHandler(build);
  changed = () => handler.notify.toolsChanged();
  const serve = toNodeHandler(handler);
  const server = createServer((request, response) => void serve(request as never, response));
  // On a busy machine a client may use a connection again in the moment in which it is closed.
  server.keepAliveTimeout = 60_000;
  server.listen(Number(where), '127.0.0.1', () => console.error('ready'));
}
