/**
 * A tool without side effects, with a zod schema: `tool_packages: [tools.weather]`.
 * The weather is made up and always the same; a real tool would ask a service.
 */
import { z } from 'zod';

const celsius: Record<string, { degrees: number; sky: string }> = {
  Berlin: { degrees: 14, sky: 'light rain' },
  Cairo: { degrees: 33, sky: 'clear' },
  Lagos: { degrees: 29, sky: 'thunderstorms' },
  Paris: { degrees: 18, sky: 'partly cloudy' },
  Reykjavik: { degrees: 6, sky: 'wind and showers' },
  Tokyo: { degrees: 22, sky: 'sunny' },
};

const parameters = z.object({
  city: z.string().describe('Name of the city in English'),
  unit: z.enum(['celsius', 'fahrenheit']).default('celsius'),
});

class ToolError extends Error {
  override readonly name = 'ToolError';
}

export const tools = [
  {
    name: 'get_weather',
    description: `The weather in a city (sample data). Cities: ${Object.keys(celsius).join(', ')}.`,
    parameters,
    sideEffects: false,
    execute({ city, unit }: z.output<typeof parameters>): object {
      const weather = celsius[city];
      if (weather === undefined) {
        throw new ToolError(`No weather for ${city}; there is one for ${Object.keys(celsius).join(', ')}`);
      }
      const { degrees, sky } = weather;
      const shown = unit === 'celsius' ? degrees : Math.round((degrees * 9) / 5 + 32);
      return { city, sky, temperature: shown, unit, source: 'sample data' };
    },
  },
];
