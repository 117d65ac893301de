/**
 * A tool of your own. An agent calls it when its name and description fit what the agent needs. The configuration names
 * this file as `tools.prices`; it is read again whenever it has changed. Put in here what only you know or can do: a
 * price list, a database, a service of yours.
 */
const euros: Record<string, number> = { brakes: 28, chain: 35, lights: 24, tyre: 19 };

export const getRepairPrice = {
  name: 'get_repair_price',
  description: 'Looks up the price of a repair in our bicycle shop: brakes, chain, lights or tyre.',
  // What the model has to give, as a JSON Schema. What does not fit it never reaches `execute`.
  parameters: {
    type: 'object',
    properties: { part: { type: 'string', enum: Object.keys(euros) } },
    required: ['part'],
  },
  // It only reads, so that it may simply run again should a worker die meanwhile.
  sideEffects: false,
  execute({ part }: { part: string }) {
    return { part, euros: euros[part] };
  },
};

/** Everything in this list is offered to the agents. */
export const tools = [getRepairPrice];
