import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAssessor, readCatalogue, type Assessor } from '../../src/health/index.js';
import { isObject, type Json } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Label } from './injection/label.js';
import { refOf } from './injection/object-refs.js';

const CATALOGUE = resolve(import.meta.dirname, '../../catalogue');

let assessor: Assessor | undefined;

function theAssessor(): Assessor {
  const paths = (): string[] =>
    readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path));
  return (assessor ??= createAssessor({
    catalogue: readCatalogue(paths().map((path) => ({ path, text: readFileSync(join(CATALOGUE, path), 'utf8') }))),
    now: () => 0,
    elapsed: () => performance.now(),
  }));
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : 'Unknown');

/** Everything that is not well. An object of a kind without a health check has no opinion, and is left out. */
export function membersOf({ objects }: { readonly objects: readonly KubeObject[] }): Label['members'] {
  const applications = objects
    .filter(({ kind }) => kind === 'Application')
    .flatMap(({ metadata, status }) => {
      const { sync, health } = isObject(status) ? status : {};
      const member = {
        name: metadata.name ?? '',
        sync: text(isObject(sync) ? sync.status : undefined),
        health: text(isObject(health) ? health.status : undefined),
      };
      return member.sync === 'Synced' && member.health === 'Healthy' ? [] : [member];
    });
  const unwell = objects
    .filter(({ kind }) => kind !== 'Application')
    .flatMap((object) => {
      const verdict = theAssessor().assess(object, {});
      return verdict === undefined || verdict.status === 'Healthy' || verdict.status === 'Suspended'
        ? []
        : [{ ...refOf(object), health: verdict.status, message: verdict.message ?? '' }];
    });
  return { applications, objects: unwell };
}
