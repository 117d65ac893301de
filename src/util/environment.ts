/** The process's variables by name, without the empty ones. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Something is wrong with what Reprise was given to work with; the message says what, and what to do. */
export class SetupError extends Error {}

/** A variable has a value that it cannot have; the message names it, and what it can be. */
export class VariableError extends SetupError {}

/** The variables that have a value, which may be an empty one. */
export const definedIn = (variables: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).filter((each): each is [string, string] => each[1] !== undefined));

export const readEnvironment = (variables: NodeJS.ProcessEnv): Environment =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''));
