import { AgentCard } from '@a2a-js/sdk';
import type { Kind } from '../../config/kinds.ts';
import { version } from '../../util/version.ts';
import type { Access } from '../access.ts';
import { namedConfigs } from '../configs.ts';
import type { Served } from '../served.ts';

/** The versions of the protocol that are spoken, the preferred one first. */
export const versions = ['1.0', '0.3'] as const;

const skills: Record<Kind, string> = {
  team: 'Several agents answer, and vote; the best answer is presented and judged.',
  agent: 'One agent answers, with the tools of its configuration.',
  research: 'Searches for prior art of an idea, criticises its plan, and writes a report.',
  plan: 'Makes a plan for a problem, carries it out step by step, and validates the solution.',
};

/** What a holder of a token may have done here: one skill for each configuration that it may start. */
export function agentCard({ configs, url }: Served, access: Access): AgentCard {
  return AgentCard.fromJSON({
    name: 'Reprise',
    description:
      'Teams of language-model agents as durable runs: a task goes on whatever is killed, and may wait for days for what it asks.',
    version,
    supportedInterfaces: versions.map((protocolVersion) => ({
      url: `${url}/a2a`,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/markdown'],
    skills: namedConfigs(configs, access).map(({ kind, name }) => ({
      id: name,
      name,
      description: skills[kind],
      tags: [kind],
    })),
  });
}
