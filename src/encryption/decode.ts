import type { LoadedDataConverter, Payload } from '@temporalio/common';

type Fields = Record<string, unknown>;

/** In place: Temporal's client does so with results, but not with what is read here. @throws what the codec throws */
export async function decodeAll<T>(message: T, { payloadCodecs, payloadConverter }: LoadedDataConverter): Promise<T> {
  const places: Array<[holder: Fields, key: string]> = [];
  const failures: Fields[] = [];
  visit(message, places, failures);
  let payloads = places.map(([holder, key]) => holder[key] as Payload);
  for (const codec of payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  places.forEach(([holder, key], index) => (holder[key] = payloads[index]));
  for (const failure of failures) {
    const said = payloadConverter.fromPayload<Fields>(failure['encodedAttributes'] as Payload);
    Object.assign(failure, { message: said['message'], stackTrace: said['stack_trace'], encodedAttributes: undefined });
  }
  return message;
}

function visit(value: unknown, places: Array<[holder: Fields, key: string]>, failures: Fields[]): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const holder = value as Fields;
  for (const [key, each] of Object.entries(holder)) {
    if (isPayload(each)) places.push([holder, key]);
    else visit(each, places, failures);
  }
  if (isPayload(holder['encodedAttributes'])) failures.push(holder);
}

const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && ArrayBuffer.isView((value as Payload).metadata?.['encoding']);
