import { expect, it } from 'vitest';
import { proof as corrupt } from '../../../scripts/prove/store-corrupt.js';
import { proof as power } from '../../../scripts/prove/store-power.js';
import { proof as kill } from '../../../scripts/prove/store-kill.js';

it.each([corrupt, kill, power])('$name holds at its smoke size', async (proof) => {
  const lines: string[] = [];
  const { ok, done, figures } = await proof.run({ seed: 1, size: proof.sizes.smoke, log: (line) => lines.push(line) });
  expect({ ok, done, lines: ok ? [] : lines }).toEqual({ ok: true, done: proof.sizes.smoke, lines: [] });
  expect(figures['trials']).toBe(proof.sizes.smoke);
});
