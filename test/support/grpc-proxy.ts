import { once } from 'node:events';
import { connect, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** The name of a call, such as `PollWorkflowTaskQueue`, with its reply as protobuf. It goes on when the promise resolves. */
type OnReply = (method: string, reply: Buffer) => Promise<void> | undefined;

/** A proxy of a gRPC server, by which a test may hold back its replies: so in any order that a network may make. */
export async function startGrpcProxy(
  target: string,
  onReply: OnReply,
): Promise<{ address: string; close: () => void }> {
  const upstream = connect(`http://${target}`);
  const server = createServer();
  server.on('stream', (stream, given) => {
    const path = given[':path'] ?? '';
    const headers = { ...given, ':authority': target };
    const call = upstream.request(headers);
    stream.pipe(call);
    stream.on('close', () => call.close());
    for (const each of [stream, call]) each.on('error', () => {});
    let head: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    call.on('response', (each) => (head = each));
    call.on('trailers', (each) => (trailers = each));
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.on('end', () => {
      const data = Buffer.concat(chunks);
      const pass = (): void => {
        if (stream.destroyed) return;
        stream.respond(head, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers(trailers));
        stream.end(data);
      };
      // A message has before it whether it is compressed, and its length.
      const reply = data[0] === 1 ? gunzipSync(data.subarray(5)) : data.subarray(5);
      void Promise.resolve(onReply(path.split('/').at(-1) ?? '', reply)).then(pass);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    close: () => {
      server.close();
      upstream.destroy();
    },
  };
}
