import { describe, expect, it } from 'vitest';
import { Fault } from '../faults/fault.js';
import { writeYaml } from './write-yaml.js';
import { readYaml } from './read-yaml.js';
import { BOMBS, nested } from './testing/yaml-bombs.js';

describe('bombs', () => {
  it.each(BOMBS.map(([name, text, verdict]) => ({ name, text, verdict })))(
    '$name: read or refused within a second of work',
    ({ text, verdict }) => {
      const start = process.cpuUsage();
      for (const dialect of ['kubernetes', 'kyaml'] as const) {
        let outcome: string;
        try {
          readYaml(text, { dialect, duplicates: 'last' });
          outcome = 'read';
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          expect(error.code).toBe('YAML_INVALID');
          outcome = 'refused';
        }
        if (verdict !== undefined) expect(outcome).toBe(verdict);
      }
      const { user, system } = process.cpuUsage(start);
      // Both dialects together; work done, not time passed, so that a busy machine does not matter. The proof
      // `render-safety` measures time.
      expect((user + system) / 1e6).toBeLessThan(2);
    },
  );

  it('says what it refuses', () => {
    const message = (text: string): string => {
      try {
        readYaml(text, { dialect: 'kubernetes' });
        return 'read';
      } catch (error) {
        return (error as Fault).message;
      }
    };
    expect(message(BOMBS[0]?.[1] ?? '')).toBe('document contains excessive aliasing');
    expect(message(nested(20_000, '[', ']'))).toBe('exceeded max depth of 500');
    expect(message(nested(500, '[', ']'))).toBe('read');
    expect(message(nested(501, '[', ']'))).toBe('exceeded max depth of 500');
  });

  it('writes as deep as it reads', () => {
    const [document] = readYaml(nested(500, '[', ']'), { dialect: 'kubernetes' });
    expect(writeYaml(document?.value ?? null)).toBe(`${'- '.repeat(499)}[]\n`);
  });
});
