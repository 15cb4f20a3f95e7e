import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { issueCertificate } from '../../model/certificates/index.js';
import { openPki, type Pki } from './pki.js';

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

const isValid = ({ authority, server, admin }: Pki, at: string): boolean =>
  [authority, server.certificate, admin.certificate].every((pem) => {
    const { validFrom, validTo } = new X509Certificate(pem);
    return new Date(validFrom) <= new Date(at) && new Date(at) < new Date(validTo);
  });

it('makes certificates that stay valid when the clock is set back', async () => {
  const created = await openPki(join(data, 'pki'), NOW);
  for (const at of ['2001-01-01T00:00:00Z', '2025-12-31T00:00:00Z', '2035-12-01T00:00:00Z'])
    expect(isValid(created, at), at).toBe(true);
  expect(isValid(created, '2036-02-01T00:00:00Z')).toBe(false);
});

it('renews certificates that have ended or are not valid yet, and keeps the key of the tokens', async () => {
  const directory = join(data, 'pki');
  const created = await openPki(directory, NOW);
  const later = new Date('2037-01-01T00:00:00Z');
  const renewed = await openPki(directory, later);
  expect(isValid(renewed, later.toISOString())).toBe(true);
  expect([renewed.serviceAccountKey, renewed.authority === created.authority]).toEqual([
    created.serviceAccountKey,
    false,
  ]);
  expect(await openPki(directory, later)).toEqual(renewed);
  expect(readdirSync(data)).toEqual(['pki']);
  const future = issueCertificate({ commonName: 'early', use: 'client', notBefore: later, days: 1 });
  writeFileSync(join(directory, 'admin.crt'), future.certificate);
  expect(isValid(await openPki(directory, NOW), NOW.toISOString())).toBe(true);
});

it('goes back to the old keys where a crash has cut their renewal short', async () => {
  const directory = join(data, 'pki');
  const created = await openPki(directory, NOW);
  renameSync(directory, `${directory}.old`);
  expect(await openPki(directory, NOW)).toEqual(created);
  expect(readdirSync(data)).toEqual(['pki']);
});
