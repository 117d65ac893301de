/** The workflow types. A client starts them by the names of these exports. */
export { notification } from './notification/workflow.ts';
export { orchestration } from './orchestration/workflow.ts';
export { planAndExecute } from './plan-and-execute/workflow.ts';
export { research } from './research/workflow.ts';
export { session } from './session/workflow.ts';
export { unknownType as default } from './unknown-type.ts';
