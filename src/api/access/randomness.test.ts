import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { randomText } from './oidc/login-state.js';

it('S21: no secret comes from Math.random', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  expect(files.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('Math.random'))).toEqual(
    [],
  );
});

it('S21: states, nonces and verifiers have 256 bits and do not repeat', () => {
  // A generator of 2^32 states would repeat some among so many.
  const many = 200_000;
  const generated = new Set<string>();
  let odd = 0;
  for (let count = 0; count < many; count++) {
    const text = randomText();
    generated.add(text);
    // 32 bytes are 43 characters of base64 for addresses.
    if (text.length !== 43) odd++;
  }
  expect([generated.size, odd]).toEqual([many, 0]);
});
