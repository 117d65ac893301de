/** What an error says. One that holds several, as Node's about a host with two addresses, leaves saying it to them. */
export function toldBy(error: Error): string {
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const told = new Set(parts.map((part) => (part instanceof Error ? toldBy(part) : String(part))));
  return [error.message, [...told].join('; ')].filter((text) => text !== '').join(': ');
}
