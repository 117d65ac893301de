/** What a problem says of the line that its answer is to end with; such as in the questions of GAIA. */
const finalAnswer = /\bFINAL ANSWER\b/;

export const wantsFinalAnswer = (problem: string): boolean => finalAnswer.test(problem);

/** A problem without what it says of that line. */
export function withoutForm(problem: string): string {
  return problem
    .split('\n')
    .filter((line) => !finalAnswer.test(line))
    .join('\n')
    .trim();
}

/** How a result says that there is none on a part. @param why what was looked at, or what was in the way */
export const nothingOn = (part: string, why: string | undefined): string =>
  `nothing was found on "${part}"${why === undefined ? '' : ` (${why})`}`;

/** Whether a line says that. */
export const saysNothing = (line: string): boolean => /\bnothing was found\b/i.test(line);
