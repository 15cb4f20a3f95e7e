import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomText } from './oidc/login-state.js';

it('S21: nothing that must not be guessed comes from Math.random', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(files.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('Math.random'))).toEqual([]);
});

it('S21: states, nonces and verifiers have 256 bits and do not repeat', () => {
  const made = new Set(Array.from({ length: 20_000 }, randomText));
  expect([made.size, [...made].every((text) => Buffer.from(text, 'base64url').length === 32)]).toEqual([20_000, true]);
});
