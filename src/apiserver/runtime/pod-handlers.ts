import { isObject, type JsonObject } from '../../model/json/index.js';
import { ApiError, badRequest, notFound, requiredField, unsupportedField, type FieldError } from '../errors/index.js';
import { objectBody, type SpecialResponse, type SpecialCall, type SpecialHandlers } from '../http/index.js';
import { bind, fromStored, keyFor } from '../rest/index.js';
import { maybe, sub, text } from '../resources/index.js';
import type { ContainerLogs } from './container-logs.js';
import { podExec } from './exec-handler.js';
import { podLog } from './log-handler.js';
import { evict } from './pod-eviction.js';
import type { RunningContainers } from './running-containers.js';

type HandlersOfOne = SpecialHandlers extends ReadonlyMap<string, infer One> ? One : never;

/** Subresources of a pod that are more than storage: binding, eviction, log, and those that would run something. */
export function podHandlers(logs: ContainerLogs, running: RunningContainers): SpecialHandlers {
  const exec = (asked: SpecialCall): Promise<SpecialResponse> => podExec(running, asked);
  const nothingRuns = { get: rejectExec, create: rejectExec };
  return new Map<string, HandlersOfOne>([
    ['/pods/log', { get: (asked) => podLog(logs, asked) }],
    ['/pods/binding', { create: bindNamed }],
    ['/bindings', { create: bindNamed }],
    ['/pods/eviction', { create: async (asked) => ({ code: 201, object: await evict(asked) }) }],
    ['/pods/exec', { get: exec, create: exec }],
    ['/pods/attach', nothingRuns],
    ['/pods/portforward', nothingRuns],
  ]);
}

async function bindNamed(asked: SpecialCall): Promise<SpecialResponse> {
  const { context, call } = asked;
  const binding = objectBody(await asked.body(), 'Binding');
  const metadata = sub(binding, 'metadata');
  const name = text(metadata, 'name');
  if (call.name !== '' && call.name !== name) throw badRequest('name in URL does not match name in Binding object');
  checkTarget(sub(binding, 'target'));
  const pods = context.types.preferred('', 'pods');
  if (!pods) throw notFound({ group: '', resource: 'pods' }, name);
  const [uid, resourceVersion] = [text(metadata, 'uid'), text(metadata, 'resourceVersion')];
  await bind(
    context,
    { ...call, type: pods, name, subresource: 'binding' },
    {
      node: text(maybe(binding, 'target'), 'name'),
      annotations: strings(metadata, 'annotations'),
      labels: strings(metadata, 'labels'),
      ...(uid === '' ? {} : { uid }),
      ...(resourceVersion === '' ? {} : { resourceVersion }),
    },
  );
  return { code: 201, object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
}

/** Field errors of a binding are not wrapped as others are: the real server answers 500 with their text. */
function checkTarget(target: JsonObject): void {
  const errors: FieldError[] = [];
  const kind = text(target, 'kind');
  if (kind !== '' && kind !== 'Node') errors.push(unsupportedField('target.kind', kind, ['Node', '<empty>']));
  if (text(target, 'name') === '') errors.push(requiredField('target.name'));
  if (errors.length === 0) return;
  const lines = errors.map((error) => `${error.field}: ${error.detail}`);
  throw new ApiError(500, '', lines.length === 1 ? (lines[0] ?? '') : `[${lines.join(', ')}]`);
}

function strings(from: JsonObject, key: string): Record<string, string> {
  const map = maybe(from, key);
  return isObject(map) ? Object.fromEntries(Object.keys(map).map((name) => [name, text(map, name)])) : {};
}

function rejectExec({ context, call }: SpecialCall): Promise<SpecialResponse> {
  const stored = context.store.get(keyFor(call.type, call.namespace, call.name));
  if (!stored) throw notFound({ group: '', resource: 'pods' }, call.name);
  if (text(sub(fromStored(call.type, stored), 'spec'), 'nodeName') === '')
    throw badRequest(`pod ${call.name} does not have a host assigned`);
  throw new ApiError(
    501,
    'NotImplemented',
    `${call.subresource} is not possible here: use exec or the log of pod ${JSON.stringify(call.name)}`,
    {},
  );
}
