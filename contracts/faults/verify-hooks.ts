import { isObject, own, textAt, type Json, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { type ApplicationStatus } from './application.js';
import { isCreation, type Audited } from './audit-log.js';
import { comparePlaces, type HookScenario, type Planned } from './hook-scenario.js';
import type { Lab } from './lab.js';
import { CONFIG_MAPS, DEPLOYMENTS, JOBS, PODS, SERVICES } from '../../src/model/resources/index.js';

const KINDS = [CONFIG_MAPS, DEPLOYMENTS, JOBS, PODS, SERVICES];

/** What is left in the namespace and in the operation, without what differs from run to run. */
export async function endState(
  lab: Lab,
  namespace: string,
  scenario: HookScenario,
  shown: ApplicationStatus,
): Promise<Json> {
  const lists = await Promise.all(KINDS.map(async (kind) => (await lab.cluster.list(kind, { namespace })).items));
  const generated = scenario.objects.filter(({ isGenerated }) => isGenerated);
  const plain = (name: string): string => generated.find((each) => name.startsWith(each.name))?.name ?? name;
  const objects = lists
    .flat()
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    .map((object) => stateOf(object, plain))
    .sort(byText);
  const rows = shown.results
    .map((row) =>
      ['syncPhase', 'kind', 'name', 'status', 'hookType', 'hookPhase']
        .map((field) => (field === 'name' ? plain(textAt(row, field)) : textAt(row, field)))
        .join(' '),
    )
    .sort();
  return { objects, rows };
}

function stateOf(object: KubeObject, plain: (name: string) => string): JsonObject {
  const { metadata } = object;
  const spec = own(object, 'spec');
  const selectorless = isObject(spec)
    ? { replicas: own(spec, 'replicas') ?? null, ports: own(spec, 'ports') ?? null }
    : {};
  return {
    kind: object.kind,
    name: plain(metadata.name ?? ''),
    finalizers: metadata.finalizers ?? [],
    isDeleted: metadata.deletionTimestamp !== undefined,
    data: own(object, 'data') ?? null,
    spec: selectorless,
    annotations: Object.keys(metadata.annotations ?? {})
      .filter((key) => !key.startsWith('deployment.kubernetes.io'))
      .sort(),
  };
}

function byText(a: JsonObject, b: JsonObject): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Counts what was made, and in which order. */
export function verifyHooks(
  scenario: HookScenario,
  audited: readonly Audited[],
): { wrong: string[]; lost: number; duplicated: number } {
  const creations = audited.filter(isCreation);
  const wrong: string[] = [];
  let lost = 0;
  let duplicated = 0;
  const made: { readonly planned: Planned; readonly at: number }[] = [];
  for (const planned of scenario.objects) {
    const ours = creations.filter(
      ({ resource, name }) =>
        resource === planned.resource && (planned.isGenerated ? name.startsWith(planned.name) : name === planned.name),
    );
    made.push(...ours.map(({ received }) => ({ planned, at: received })));
    const wanted = planned.isReached && (planned.isHook || !scenario.isSecond) ? 1 : 0;
    if (ours.length === wanted) continue;
    if (ours.length < wanted) lost += wanted - ours.length;
    else duplicated += ours.length - wanted;
    wrong.push(`${planned.phase} ${planned.resource}/${planned.name} was made ${ours.length} times, not ${wanted}`);
  }
  for (const early of made) {
    const late = made.find((other) => comparePlaces(other.planned, early.planned) > 0 && other.at < early.at);
    if (late !== undefined)
      wrong.push(`${late.planned.name} was made before ${early.planned.name}, which belongs to an earlier wave`);
  }
  return { wrong, lost, duplicated };
}

/** The first lines that only one side has. */
export function difference(got: Json, wanted: Json): string {
  const lines = (value: Json): string[] =>
    isObject(value)
      ? Object.values(value).flatMap((list) => (Array.isArray(list) ? list.map((each) => JSON.stringify(each)) : []))
      : [];
  const [a, b] = [lines(got), lines(wanted)];
  const only = [
    ...a.filter((line) => !b.includes(line)).map((line) => `got ${line}`),
    ...b.filter((line) => !a.includes(line)).map((line) => `wanted ${line}`),
  ];
  return only.slice(0, 4).join(', ') || `${a.length} lines, not ${b.length}`;
}

/** How the objects of a namespace stand, to tell whose fault a wait is. */
export async function hookFacts(lab: Lab, namespace: string): Promise<string> {
  const lists = await Promise.all(
    [JOBS, PODS, CONFIG_MAPS].map(async (kind) => (await lab.cluster.list(kind, { namespace })).items),
  );
  return lists
    .flat()
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
    .map(({ kind, metadata, status }) => {
      const facts = [
        metadata.deletionTimestamp === undefined ? '' : 'deleted',
        ...(metadata.finalizers ?? []),
        kind !== 'Job' || JSON.stringify(status ?? {}).includes('"True"') ? '' : 'not finished',
      ];
      return `${kind}/${metadata.name ?? ''} ${facts.filter((fact) => fact !== '').join(' ')}`.trim();
    })
    .join(', ');
}
