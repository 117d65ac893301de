import { payloadCodec, tolerant } from '../../encryption/codec.ts';
import { howToMakeAKey, keyVariable, readKeys } from '../../encryption/keys.ts';
import { serveCodec } from '../../encryption/serve-codec.ts';
import { originsOf } from '../../local/home-server.ts';
import { readLease } from '../../local/lock.ts';
import { usageError } from '../exit.ts';
import { homeFolder } from '../options.ts';
import type { Shell } from '../shell.ts';

type CodecServerOptions = { port?: number; host: string; origin?: string[] };

const tokenVariable = 'REPRISE_CODEC_TOKEN';

export async function codecServer(shell: Shell, { host, origin, port = 8235 }: CodecServerOptions): Promise<void> {
  const { environment } = shell;
  const keys = readKeys(environment);
  if (!keys.on)
    throw usageError(`${keyVariable} is not set: there is nothing to decrypt. Make a key with: ${howToMakeAKey}`);
  const { [tokenVariable]: token } = environment;
  if (token === undefined && !['127.0.0.1', '::1', 'localhost'].includes(host))
    throw usageError(`Beyond this machine everybody could decrypt: set ${tokenVariable} to a secret of your own`);
  const origins = origin ?? originsOf(readLease(homeFolder(shell))?.uiAddress ?? 'http://127.0.0.1:8233');
  const route = { codec: tolerant(payloadCodec(keys)), origins, ...(token !== undefined && { token }) };
  const server = await serveCodec(host, port, route).catch((error: Error) => {
    throw usageError(`The codec server cannot listen at ${host}:${port}: ${error.message}`);
  });
  const by = `the ${keys.ids.length === 1 ? 'key' : 'keys'} ${keys.ids.join(', ')}`;
  shell.say(`Codec server ${server.address} for ${origins.join(', ')}, with ${by}. Ctrl-C ends it.`);
  await shell.interrupted();
  await server.close();
}
