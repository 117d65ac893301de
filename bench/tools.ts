/**
 * `npm run bench -- tools`: what one agent with tools costs: ten model calls of 200 ms, and after each but the last one quick
 * tool call, or four at a time, beside a bare Temporal workflow with ten such activities and nothing else. Medians of pairs:
 * quote the ratio.
 */
import { agentWithTools } from './cases.ts';
import { compareWithFloor, openCaseStage } from './measure.ts';

const rounds = 9;
const milliseconds = 200;

const stage = await openCaseStage();
for (const atATime of [1, 4]) await compareWithFloor(stage, agentWithTools(atATime, milliseconds), rounds);
await stage.close();
process.exit(0);
