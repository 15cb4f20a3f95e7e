import { expect, it } from 'vitest';
import { proof } from '../../scripts/prove/apiserver-kill.js';
import { embeddedMissing } from '../embedded/embedded-server.js';

const missing = embeddedMissing();

it.skipIf(missing !== undefined)(
  missing ?? `${proof.name} holds at its smoke size`,
  async () => {
    const lines: string[] = [];
    const { ok, done, figures } = await proof.run({
      seed: 1,
      size: proof.sizes.smoke,
      log: (line) => lines.push(line),
    });
    expect({ ok, done, lines: ok ? [] : lines }).toEqual({ ok: true, done: proof.sizes.smoke, lines: [] });
    expect(figures['acknowledged writes']).toBeGreaterThanOrEqual(200 * proof.sizes.smoke);
  },
  90_000,
);
