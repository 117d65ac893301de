/** What no provider takes more than. */
const highest = 2;

/** The temperature after so many failed calls of tools: 0.1 for each, never falling (xaibo's documentation, Stress Management). */
export function temperatureAfter(failures: number): number {
  return Math.min(highest, Math.round(failures) / 10);
}
