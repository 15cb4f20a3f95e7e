import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareDiscovery, verifyAction } from '../../src/cli/health/suite.js';
import { createActions } from '../../src/health/index.js';
import { Fault } from '../../src/model/faults/index.js';
import { isArray, isObject, own, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ourCatalogue } from './compare.js';
import { resourceCustomizations } from './module.js';

const root = resourceCustomizations();
const now = (): number => 1_700_000_000_000;
const read = (file: string): unknown => readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });

const SAYS_MORE = 'our refusal also says which numbers are allowed';
const NEW_ROLLOUTS =
  'promotion as Argo Rollouts 0.9 and older understood it is not offered: those releases are from 2020';
/** Where our actions differ on purpose. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'apps/Deployment/actions/scale/testdata/deployment.yaml': SAYS_MORE,
  'apps/StatefulSet/actions/scale/testdata/statefulset.yaml': SAYS_MORE,
  'keda.sh/ScaledObject/actions/paused-replicas/testdata/scaledobject.yaml': SAYS_MORE,
  'argoproj.io/CronWorkflow/actions/create-workflow/testdata/cronworkflow.yaml':
    'finalizers belong into metadata; theirs stand beside it, where a server refuses or drops them',
  'argoproj.io/CronWorkflow/actions/create-workflow/testdata/cronworkflow-without-label.yaml': 'as above',
  'argoproj.io/Rollout/actions/discovery/testdata/pre_v0.6_paused_rollout.yaml': NEW_ROLLOUTS,
  'argoproj.io/Rollout/actions/discovery/testdata/pre_v0.6_not_paused_rollout.yaml': NEW_ROLLOUTS,
  'argoproj.io/Rollout/actions/discovery/testdata/pre_v0.6_nil_paused_rollout.yaml': NEW_ROLLOUTS,
  'argoproj.io/Rollout/actions/discovery/testdata/v0.9_aborted_bg_rollout.yaml': NEW_ROLLOUTS,
  'argoproj.io/Rollout/actions/promote-full/testdata/v0.9_aborted_rollout.yaml': NEW_ROLLOUTS,
  'batch/Job/actions/terminate/testdata/active.yaml': 'the message in the condition is ours',
  'batch/Job/actions/terminate/testdata/resumed.yaml': 'the message in the condition is ours',
};

function tests(file: string, list: string): JsonObject[] {
  const suite = read(file);
  const found = isObject(suite) ? own(suite, list) : undefined;
  return isArray(found) ? found.filter(isObject) : [];
}

/** Every test of an action_test.yaml with our catalogue instead of the scripts; the failures by name. */
function failures(folder: string): { failed: string[]; count: number; equal: number } {
  const catalogue = ourCatalogue();
  const failed: string[] = [];
  let [count, equal] = [0, 0];
  const note = (name: string, failure: string | undefined): void => {
    count++;
    if (failure === undefined) equal++;
    else if (DIFFERENT[name] === undefined) failed.push(`${name}: ${failure}`);
  };
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/action_test.yaml'))
    .sort()) {
    const at = join(folder, dirname(path));
    for (const test of tests(join(folder, path), 'discoveryTests')) {
      const object = read(join(at, String(test.inputPath))) as KubeObject;
      note(
        `${dirname(path)}/discovery/${String(test.inputPath)}`,
        compareDiscovery(createActions({ catalogue, now }).discover(object), test.result),
      );
    }
    for (const test of tests(join(folder, path), 'actionTests')) {
      const object = read(join(at, String(test.inputPath))) as KubeObject;
      const name = String(test.action);
      note(
        `${dirname(path)}/${name}/${String(test.inputPath)}`,
        resultOrMessage(() =>
          verifyAction((clock, given) => createActions({ catalogue, now: clock }).run(object, name, given), object, {
            at,
            test,
            now,
          }),
        ),
      );
    }
  }
  return { failed, count, equal };
}

function resultOrMessage(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

if (root === undefined) {
  it.skip('skipped: the Go module of Argo CD 3.5.6 (no Go toolchain, or no module proxy)', () => undefined);
} else {
  describe('the actions of our catalogue', () => {
    it("do what Argo CD's own suite of actions expects", () => {
      const { failed, count, equal } = failures(root);
      console.log(`our actions: ${equal} of ${count} as Argo CD's suite expects`);
      expect(failed).toEqual([]);
      expect(count).toBeGreaterThan(180);
    });
  });
}
