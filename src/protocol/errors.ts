/** Values of `ApplicationFailure.type` in the failures by which runs, turns and calls end. */
export const failureTypes = {
  /** A run's input cannot be used. Nothing was spent. */
  invalidInput: 'InvalidInput',
  /** An activity was asked for what neither the worker's owner nor its permissions allow. */
  notAllowed: 'NotAllowed',
  /** No agent of a team has answered in any attempt. The message gives every agent's reason. */
  noAnswer: 'NoAnswer',
  /** The planner's model failed before there was any plan. */
  noPlan: 'NoPlan',
  /** The critic gave no score, and `on_missing_score` is `fail`. */
  noScore: 'NoScore',
  /** The budget does not allow another call. Runs catch this failure and deliver their best result so far. */
  budgetSpent: 'BudgetSpent',
  /** The model of a session's agent failed for good. The conversation is as it was before the turn. */
  turnFailed: 'TurnFailed',
  /** A custom orchestrator threw, took too long or gave no answer. The message names its file. */
  orchestratorFailed: 'OrchestratorFailed',
  /** A key is not set where the worker runs. `details[1]` is `{variable}`. Runs wait for it. */
  missingKey: 'MissingKey',
  /** The worker has another store than the run. `details[0]` is a `StoreRefusal`. Runs wait until a worker has theirs. */
  otherStore: 'OtherStore',
  /** An activity's result is larger than the history takes. */
  resultTooLarge: 'ResultTooLarge',
  /** Somebody whom `notify` names was not told. The message says who, and why. */
  notDelivered: 'NotDelivered',
  /** A message that came as an update would have had no effect. The message says why. */
  messageRefused: 'MessageRefused',
} as const;

/** Why a query is not answered when a worker has just taken a run over from one that has died. */
export const askAgain =
  'The run has just come to another worker, which has to have its next workflow task first: ask again';
