/** What a test file, or the files of a folder, have taken. */
export interface FileTimes {
  /** Its path in the project. */
  name: string;
  /** From the loading of the file to the end of its last test. */
  seconds: number;
  /** Processor time of the file's own process, and of all processes that have ended below it, in seconds. */
  processor: number;
  /** How many processes the file's own process has started. */
  processes: number;
}

/** Sums up files by their folders in `test`, the slowest first, with the sum of all as the last one. */
export function byFolder(files: FileTimes[]): FileTimes[] {
  const folders = Map.groupBy(files, ({ name }) => name.split('/').slice(0, 2).join('/'));
  const sums = [...folders].map(([name, some]) => sumOf(some, name));
  return [...sums.toSorted((one, other) => other.seconds - one.seconds), sumOf(files, 'all')];
}

function sumOf(files: FileTimes[], name: string): FileTimes {
  const sum = { name, seconds: 0, processor: 0, processes: 0 };
  for (const { processes, processor, seconds } of files) {
    sum.seconds += seconds;
    sum.processor += processor;
    sum.processes += processes;
  }
  return sum;
}

/** A line for each, with the numbers in columns. */
export function tableOf(times: FileTimes[]): string {
  const rows = times.map(
    ({ name, processes, processor, seconds }) =>
      [seconds.toFixed(1), processor.toFixed(1), String(processes)].map((text) => text.padStart(11)).join('') +
      `  ${name}`,
  );
  return [['seconds', 'processor', 'processes'].map((text) => text.padStart(11)).join(''), ...rows].join('\n');
}
