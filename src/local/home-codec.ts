import { readEnvironment } from '../util/environment.ts';
import { readKeys } from '../encryption/keys.ts';
import type { CodecServer } from '../encryption/serve-codec.ts';

/** The port of the codec server that belongs to a Web UI: the next one, so that every `up` of the folder finds it. */
const codecPort = (uiAddress: string): number => Number(new URL(uiAddress).port) + 2;

/** Where a folder's Web UI has payloads decrypted; undefined where this process has no key. */
export const codecEndpoint = (uiAddress: string): string | undefined =>
  readKeys(readEnvironment(process.env)).on ? `http://127.0.0.1:${codecPort(uiAddress)}` : undefined;

/** Decrypts for a folder's Web UI, if this process has a key. @throws where the port is taken */
export async function serveHomeCodec(uiAddress: string): Promise<CodecServer | undefined> {
  const keys = readKeys(readEnvironment(process.env));
  if (!keys.on) return undefined;
  // Temporal's types of messages take memory, which most homes need not spend.
  const { payloadCodec, tolerant } = await import('../encryption/codec.ts');
  const { serveCodec } = await import('../encryption/serve-codec.ts');
  const route = { codec: tolerant(payloadCodec(keys)), origins: originsOf(uiAddress) };
  return serveCodec('127.0.0.1', codecPort(uiAddress), route);
}

/** The origins under which a Web UI on this machine is opened. */
export function originsOf(uiAddress: string): string[] {
  const { port } = new URL(uiAddress);
  return ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`);
}
