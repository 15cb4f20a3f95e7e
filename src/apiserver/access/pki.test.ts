import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPki } from './pki.js';

const NOW = new Date('2026-01-01T00:00:00Z');
let data = '';

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'argosy-pki-'));
});

afterEach(() => rmSync(data, { recursive: true, force: true }));

it('creates keys once, readable by the owner only', async () => {
  const directory = join(data, 'pki');
  const created = await openPki(directory, NOW);
  expect(await openPki(directory, NOW)).toEqual(created);
  expect(readdirSync(data)).toEqual(['pki']);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readdirSync(directory).map((file) => statSync(join(directory, file)).mode & 0o777)).toEqual(
    Array(6).fill(0o600),
  );
});

it('regenerates keys that a crash left incomplete', async () => {
  mkdirSync(join(data, 'pki.new'));
  writeFileSync(join(data, 'pki.new/ca.crt'), '');
  const created = await openPki(join(data, 'pki'), NOW);
  expect(created.authority).toContain('BEGIN CERTIFICATE');
  expect(readdirSync(data)).toEqual(['pki']);
});

it('rejects a directory with missing keys', async () => {
  const directory = join(data, 'pki');
  await openPki(directory, NOW);
  rmSync(join(directory, 'sa.key'));
  await expect(openPki(directory, NOW)).rejects.toThrow('keys are missing: sa.key');
});
