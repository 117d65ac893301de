import { describe, expect, test } from 'vitest';
import { nextOf } from '../../src/serve/pages/login.ts';

describe('a login leads to a page of this server alone', () => {
  test.each([
    ['/runs/ask-1?still', '/runs/ask-1?still'],
    ['/runs/a%2Fb', '/runs/a%2Fb'],
    [undefined, '/'],
    ['', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/x/..//evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['evil.example', '/'],
    [' //evil.example', '/'],
    ['/\u0000x', '/'],
  ])('%j', (next, expected) => {
    expect(nextOf(next)).toBe(expected);
  });
});
