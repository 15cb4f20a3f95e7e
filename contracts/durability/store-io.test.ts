import { expect, it } from 'vitest';
import { proof } from '../../scripts/prove/store-io.js';
import { failingDiskMissing } from './disk/failing-disk.js';

const missing = failingDiskMissing();

it.skipIf(missing !== undefined)(missing ?? `${proof.name} holds at its smoke size`, async () => {
  const lines: string[] = [];
  const { ok, figures } = await proof.run({ seed: 1, size: proof.sizes.smoke, log: (line) => lines.push(line) });
  expect({ ok, lines: ok ? [] : lines }).toEqual({ ok: true, lines: [] });
  expect(figures['refused writes']).toBeGreaterThan(0);
});
