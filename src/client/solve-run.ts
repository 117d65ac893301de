import type { SolveResult, SolveState } from '../protocol/plan-and-execute.ts';
import { Run } from './run.ts';

/** A run of the workflow `planAndExecute`. */
export class SolveRun extends Run<SolveState, SolveResult> {}
