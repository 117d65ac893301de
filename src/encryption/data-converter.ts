import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { payloadCodec } from './codec.ts';
import type { Keys } from './keys.ts';

/** Path of the module by which failures, too, are encrypted. It may be bundled with workflows. */
export const failureConverterPath = fileURLToPath(
  new URL(`../workflows/encoded-failures.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
);

/** How clients and workers write and read payloads and failures. Without keys they read what is not encrypted. */
export const dataConverterOf = (keys: Keys): DataConverter => ({
  payloadCodecs: [payloadCodec(keys)],
  ...(keys.on && { failureConverterPath }),
});
