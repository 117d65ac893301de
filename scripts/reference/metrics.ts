import { instruments } from '../../src/telemetry/metrics.ts';
import { table } from './table.ts';

const intro = `# Every metric

Reprise's own metrics. [Traces and metrics](../telemetry.md) says how to get them.`;

export const metricsPage = (): string =>
  `${intro}\n\n${table(
    ['metric', 'kind', 'unit', 'meaning'],
    Object.entries(instruments).map(([name, { kind, unit, description }]) => [`\`${name}\``, kind, unit, description]),
  )}\n`;
