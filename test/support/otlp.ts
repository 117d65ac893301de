import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

type Tags = Record<string, unknown>;

/** A span as the collector has received it. Times in milliseconds; ids in hexadecimal; `parent` empty for none. */
export interface ReceivedSpan {
  trace: string;
  id: string;
  parent: string;
  name: string;
  kind: number;
  start: number;
  end: number;
  attributes: Tags;
  /** The name of what it is of. */
  service: unknown;
  isError: boolean;
  message: string;
  events: number;
}

export interface ReceivedMetric {
  name: string;
  unit: string;
  kind: 'counter' | 'gauge' | 'histogram';
  /** The latest points; the value of a histogram is its sum. */
  points: Array<{ attributes: Tags; value: number; count: number }>;
}

/** A server that takes OTLP by HTTP, as an OpenTelemetry Collector does. */
export interface Collector {
  address: string;
  spans: ReceivedSpan[];
  metrics: Map<string, ReceivedMetric>;
  /** Everything that was sent, as it was sent. */
  raw: Buffer[];
  /** The headers of the last request. */
  headers: Record<string, unknown>;
  close(): Promise<void>;
}

interface Any {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: Any[] };
}

type Pairs = Array<{ key: string; value: Any }> | undefined;

const { root } = protobuf.parse(
  readFileSync(fileURLToPath(new URL('./otlp.proto', import.meta.url)), 'utf8').replaceAll(/\/\/.*$/gm, ''),
);

function decoded(type: string, body: Buffer): unknown {
  const message = root.lookupType(type);
  return message.toObject(message.decode(body), { longs: String, bytes: String, arrays: true });
}

const valueOf = (value: Any): unknown =>
  value.arrayValue?.values.map(valueOf) ??
  value.stringValue ??
  value.boolValue ??
  value.doubleValue ??
  (value.intValue === undefined ? undefined : Number(value.intValue));

const tagsOf = (pairs: Pairs): Tags => Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, valueOf(value)]));

const hex = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('hex');

interface TraceRequest {
  resourceSpans: Array<{
    resource: { attributes: Pairs };
    scopeSpans: Array<{
      spans: Array<{
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        kind: number;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes: Pairs;
        events: unknown[];
        status?: { code?: number; message?: string };
      }>;
    }>;
  }>;
}

interface Points {
  dataPoints: Array<{ attributes: Pairs; asDouble?: number; asInt?: string; count?: string; sum?: number }>;
}

interface MetricsRequest {
  resourceMetrics: Array<{
    scopeMetrics: Array<{
      metrics: Array<{ name: string; unit?: string; gauge?: Points; sum?: Points; histogram?: Points }>;
    }>;
  }>;
}

export async function startCollector(): Promise<Collector> {
  const collector: Omit<Collector, 'address' | 'close'> = { spans: [], metrics: new Map(), raw: [], headers: {} };
  const take = (url: string | undefined, body: Buffer): void => {
    if (url === '/v1/traces') {
      for (const { resource, scopeSpans } of (decoded('TraceRequest', body) as TraceRequest).resourceSpans)
        for (const span of scopeSpans.flatMap(({ spans }) => spans))
          collector.spans.push({
            trace: hex(span.traceId),
            id: hex(span.spanId),
            parent: hex(span.parentSpanId),
            name: span.name,
            kind: span.kind,
            start: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
            end: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
            attributes: tagsOf(span.attributes),
            service: tagsOf(resource.attributes)['service.name'],
            isError: span.status?.code === 2,
            message: span.status?.message ?? '',
            events: span.events.length,
          });
    } else if (url === '/v1/metrics') {
      const request = decoded('MetricsRequest', body) as MetricsRequest;
      for (const { gauge, histogram, name, sum, unit = '' } of request.resourceMetrics.flatMap(({ scopeMetrics }) =>
        scopeMetrics.flatMap(({ metrics }) => metrics),
      )) {
        const { dataPoints } = gauge ?? sum ?? histogram ?? { dataPoints: [] };
        collector.metrics.set(name, {
          name,
          unit,
          kind: gauge ? 'gauge' : sum ? 'counter' : 'histogram',
          points: dataPoints.map(({ asDouble, asInt, attributes, count = '0', sum: total }) => ({
            attributes: tagsOf(attributes),
            value: total ?? asDouble ?? Number(asInt),
            count: Number(count),
          })),
        });
      }
    }
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      collector.raw.push(body);
      collector.headers = request.headers;
      take(request.url, body);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...collector,
    get headers() {
      return collector.headers;
    },
    address: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
