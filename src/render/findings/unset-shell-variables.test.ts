import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { findUnsetShellVariables } from './unset-shell-variables.js';
import { cpuSecondsOf } from '../../model/testing/index.js';

function find(script: string, container: JsonObject = {}): string[] {
  const object = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'wait' },
    spec: {
      jobTemplate: {
        spec: {
          template: {
            spec: { initContainers: [{ name: 'w', command: ['/bin/sh', '-ec'], args: [script], ...container }] },
          },
        },
      },
    },
  } as unknown as KubeObject;
  return findUnsetShellVariables([{ object, origin: { file: 'job.yaml', line: 1 } }]).map(
    ({ variable, scriptLine }) => `${variable} ${scriptLine}`,
  );
}

const loop = (condition: string): string => `while ${condition}; do\n  N=$((N + 1))\ndone\n`;

describe('a loop that asks for a variable', () => {
  it.each([
    ['which nothing sets before', loop('[ $N -lt 3 ]'), ['N 1']],
    ['in braces', loop('[[ ${N} -lt 3 ]]'), ['N 1']],
    ['with test', `A=1\n${loop('test "$N" -lt $A')}`, ['N 2']],
    ['in until, after other lines', `echo a\necho b\nuntil [ "$DONE" = yes ]\ndo\n  sleep 1\ndone\n`, ['DONE 3']],
    ['inside of if', `if true; then ${loop('[ $N -lt $M ]')}fi`, ['N 1', 'M 1']],
  ])('%s is found', (_, script, expected) => {
    expect(find(script)).toEqual(expected);
  });

  it.each([
    ['set before', `N=0\n${loop('[ $N -lt 3 ]')}`],
    ['set on the same line', `N=0; ${loop('[ $N -lt 3 ]')}`],
    ['exported before', `export N=0\n${loop('[ $N -lt 3 ]')}`],
    ['read before', `read -r N < file\n${loop('[ $N -lt 3 ]')}`],
    ['of a for loop', `for N in 1 2; do ${loop('[ $N -lt 3 ]')}done`],
    ['with a default', loop('[ ${N:-0} -lt 3 ]')],
    ['given its default before', `: \${N:=0}\n${loop('[ $N -lt 3 ]')}`],
    ['counted before', `((N=0))\n${loop('[ $N -lt 3 ]')}`],
    ['of the shell', loop('[ $SECONDS -lt 3 ]')],
    ['of Kubernetes', loop('[ -z $DB_SERVICE_HOST ]')],
    ['that is a parameter', loop('[ $# -gt 0 ]')],
    ['in a comment', `# ${loop('[ $N -lt 3 ]').replace('\n', ' ')}\n`],
    ['of a command', loop('! curl $URL')],
    ['where a file may set it', `. ./env\n${loop('[ $N -lt 3 ]')}`],
  ])('%s is fine', (_, script) => {
    expect(find(script)).toEqual([]);
  });

  it('that the container has is fine', () => {
    expect(find(loop('[ $N -lt 3 ]'), { env: [{ name: 'N', value: '0' }] })).toEqual([]);
    expect(find(loop('[ $N -lt 3 ]'), { envFrom: [{ secretRef: { name: 'any' } }] })).toEqual([]);
  });

  it('is no concern where no shell reads it, or it is too long to look at', () => {
    expect(find(loop('[ $N -lt 3 ]'), { command: ['python', '-c'] })).toEqual([]);
    expect(find(`${'#\n'.repeat(10_000)}${loop('[ $N -lt 3 ]')}`)).toEqual([]);
  });

  it('costs little in hostile text', () => {
    const { seconds } = cpuSecondsOf(() => [
      find('while ;'.repeat(2_300)),
      find(`${'(('.repeat(4_000)}\n${loop('[ $N -lt 3 ]')}`),
    ]);
    expect(seconds).toBeLessThan(2);
  });
});
