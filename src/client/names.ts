/** Readable, sortable and unique enough: `ask-20260118-170944-x3f9k2`. */
export function newRunId(kind: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${kind}-${time}-${Math.random().toString(36).slice(2, 8)}`;
}

/** What the Web UI shows of a run in its list. */
export function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.slice(0, 200);
}
