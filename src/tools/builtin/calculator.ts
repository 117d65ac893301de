import { z } from 'zod';
import type { ToolDefinition } from '../definition.ts';
import { ToolError } from '../tool.ts';
import { evaluate, ExpressionError, vocabulary } from './expression.ts';

/** Built-in package `builtin.calculator`. */
export const calculatorTool: ToolDefinition = {
  name: 'calculate',
  description:
    'Computes an arithmetic expression and returns the number. It has + - * / ^ % (remainder), parentheses, ' +
    `and ${vocabulary}. Angles are in radians; log is to base 10, ln natural.`,
  parameters: z.object({
    expression: z.string().min(1).max(1000).describe('For example: 3 * (2 + sqrt(16)) ^ 2'),
  }),
  sideEffects: false,
  execute({ expression }: { expression: string }): string {
    try {
      // 15 digits are what a double holds for sure: 0.1 + 0.2 is 0.3.
      return String(Number(evaluate(expression).toPrecision(15)));
    } catch (error) {
      if (error instanceof ExpressionError) throw new ToolError(error.message);
      throw error;
    }
  },
};
