/**
 * What a server of tools asks the person for in the middle of a call (Model Context Protocol, "Elicitation"): the activity
 * `callTool` ends with the requests, the workflow puts them to the person, and calls again.
 */

export type FormValue = string | number | boolean | string[];

/** A field of a form: the part of JSON Schema that the protocol allows there. */
export interface FormField {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  enumNames?: string[];
  oneOf?: Array<{ const?: unknown; title?: string }>;
  items?: { enum?: unknown[]; anyOf?: Array<{ const?: unknown; title?: string }> };
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Form {
  properties: Record<string, FormField>;
  required?: string[];
}

/** What a server asks for: that a form is filled in, or that the person does something at an address and then says so. */
export interface InputRequest {
  /** Names the request within its call. */
  key: string;
  message: string;
  form?: Form;
  url?: string;
}

/** The person's answer. `decline`: the person does not want to. `cancel`: there was no decision. */
export type InputResponse =
  | { action: 'accept'; content?: Record<string, FormValue> }
  | { action: 'decline' | 'cancel' };

/** What a call of a tool needs before it can go on. */
export interface InputRequired {
  requests: InputRequest[];
  /** To be handed back unchanged, with the responses. */
  state: string;
  /**
   * Whether the tool begins anew when it is called with the responses, so that what it did before it asked happens again:
   * servers of the older generation ask over the connection of the call, which cannot wait for a person.
   */
  beginsAnew?: true;
}

/** What a further call of the same tool brings with it. */
export interface InputGiven {
  responses: Record<string, InputResponse>;
  state: string;
}
