import { z } from 'zod';
import { Output } from '../../util/output.ts';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const text = z.string();

const file = z.object({
  /** From the folder in which the code runs. */
  path: text.max(5000),
  /** The content; of a `link`, the path that it leads to. */
  bytes,
  mode: z.enum(['file', 'executable', 'link']),
});

/** What a process of Python may say at all, whatever it has become. */
const news = z.union([
  z.object({ snapshot: bytes }),
  z.object({ begun: z.literal(true) }),
  z.object({ output: bytes }),
  z.object({ files: z.array(file) }),
  /** The paths of files that are gone, and why others are not kept, a line for each. */
  z.object({ gone: z.array(text), notes: z.array(text.max(1000)) }),
  z.object({ end: z.literal('done') }),
  z.object({ end: z.enum(['raised', 'broken']), problem: text }),
]);

export type PythonFile = z.output<typeof file>;
export type FromPython = z.output<typeof news>;

export interface PythonResult {
  output: string;
  /** Why it did not come to its end: the traceback, or what ended it. Absent if it did. */
  problem?: { kind: 'raised' | 'broken'; text: string };
  /** What it has made or changed, and removed. Empty if there is a problem. */
  files: PythonFile[];
  gone: string[];
  notes: string[];
}

/** How many bytes are taken of all messages together, and how many characters of a problem. */
const mostBytes = 250_000_000;
const mostOfProblem = 20_000;

/** Collects what a process of Python says, and believes nothing of it. */
export class FromPythonReader {
  /** Whether no more is to be expected. */
  isOver = false;
  /** Whether Python was there to run the code. */
  hasBegun = false;
  readonly #output = new Output();
  readonly #result: PythonResult = { output: '', files: [], gone: [], notes: [] };
  #bytes = 0;

  /** @returns the snapshot, if it is one and nothing else has run before */
  take(message: unknown): Uint8Array | undefined {
    const read = news.safeParse(message);
    if (this.isOver) return undefined;
    if (!read.success) return this.fail('it said what makes no sense');
    const said = read.data;
    if ('snapshot' in said) return this.hasBegun ? undefined : said.snapshot;
    if ('begun' in said) this.hasBegun = true;
    else if ('output' in said) this.#output.add('stdout', said.output);
    else if ('files' in said) {
      this.#bytes += said.files.reduce((sum, each) => sum + each.bytes.length, 0);
      this.#result.files.push(...said.files);
    } else if ('gone' in said) {
      this.#result.gone.push(...said.gone);
      this.#result.notes.push(...said.notes);
    } else {
      if (said.end !== 'done') this.#result.problem = { kind: said.end, text: said.problem.slice(0, mostOfProblem) };
      this.isOver = true;
    }
    return this.#bytes + this.#output.bytes > mostBytes ? this.fail('it sent too much') : undefined;
  }

  result(): PythonResult {
    if (!this.isOver) this.fail('Python ended by itself');
    const output = this.#output.text();
    const { problem } = this.#result;
    return problem === undefined ? { ...this.#result, output } : { ...this.#result, output, files: [], gone: [] };
  }

  fail(problem: string): undefined {
    this.isOver = true;
    this.#result.problem = { kind: 'broken', text: problem };
  }
}
