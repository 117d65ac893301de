/**
 * The inbox with the library: lists the questions that wait for a person, over all runs, and answers one of them.
 *
 * The answer names its question, so that it never goes to another one that was asked meanwhile. Needs a server at
 * `TEMPORAL_ADDRESS` (default: localhost:7233) and a worker.
 *
 *   npm run example examples/answer.ts                              lists the questions that wait
 *   npm run example examples/answer.ts RUN QUESTION "Dark mode"     answers one; an empty answer skips it
 *
 * That is in a clone of Reprise. Elsewhere: `node answer.ts …`, with Node 22.18 or newer.
 */
import { connect } from 'reprise';

const [run, questionId, answer] = process.argv.slice(2);
const reprise = await connect();
if (run === undefined) {
  const questions = await reprise.inbox((id, { message }) => console.error(`${id} does not answer: ${message}`));
  for (const { workflowId, questionId: id, from, question, expiresAt } of questions)
    console.log(`${workflowId} ${id} (${from}, until ${expiresAt}): ${question}`);
} else if (questionId === undefined || answer === undefined) {
  console.error('Usage: node answer.ts [RUN QUESTION ANSWER]');
} else {
  await reprise.getRun(run).answer({ questionId, answer });
}
await reprise.close();
