/** Something that was tried: whether all was as it must be, and what came of it. */
export interface Row {
  name: string;
  isKept: boolean;
  result: string;
}

export class Table {
  readonly rows: Row[] = [];
  readonly #say: (text: string) => void;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Tries something. @param attempt gives what came of it, and throws where that is not as it must be */
  async row(name: string, attempt: () => Promise<string>): Promise<void> {
    const row = await attempt().then(
      (result): Row => ({ name, isKept: true, result }),
      (error: unknown): Row => ({ name, isKept: false, result: `NOT AS IT MUST BE: ${reasonOf(error)}` }),
    );
    this.rows.push(row);
    this.#say(`${row.name} | ${row.result}`);
  }

  get isKept(): boolean {
    return this.rows.length > 0 && this.rows.every(({ isKept }) => isKept);
  }

  text(): string {
    const width = Math.max(...this.rows.map(({ name }) => name.length));
    return this.rows.map(({ name, result }) => `${name.padEnd(width)} | ${result}`).join('\n');
  }
}

function reasonOf(error: unknown): string {
  const { message, stderr = '' } = error as Error & { stderr?: string };
  // The message repeats all that was written, and its end says why.
  return [message.split('\n')[0], ...stderr.trim().split('\n').slice(-3)]
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 400);
}

/** @throws `Error` with these words, where something is not so */
export function must(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
