import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { badRequest, forbiddenField, invalid, invalidField, notFound, type FieldError } from '../errors/index.js';
import { isTrue, type SpecialResponse, type SpecialCall } from '../http/index.js';
import { items, maybe, text } from '../resources/index.js';
import { fromStored, keyFor } from '../rest/index.js';
import type { ContainerLogs } from './container-logs.js';
import type { LogLine } from './log-file.js';

interface LogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly since?: Date;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** GET pods/NAME/log, as the API server and the kubelet behind it answer. */
export async function podLog(
  logs: ContainerLogs,
  { context, call, query, response }: SpecialCall,
): Promise<SpecialResponse> {
  const options = readOptions(query, call.name, context.clock.now());
  const stored = context.store.get(keyFor(call.type, call.namespace, call.name));
  if (!stored) throw notFound({ group: '', resource: 'pods' }, call.name);
  const pod = fromStored(call.type, stored);
  const container = chooseContainer(pod, query.get('container') ?? '');
  response.setHeader('content-type', 'text/plain');
  response.setHeader('cache-control', 'no-cache, private');
  if (text(maybe(pod, 'spec'), 'nodeName') === '') {
    response.end();
    return Promise.resolve({ code: 200, sent: true });
  }
  send(
    response,
    logs,
    { pod: pod.metadata.uid ?? '', container, id: runOf(pod, container, options.previous) },
    options,
  );
  return Promise.resolve({ code: 200, sent: true });
}

function readOptions(query: URLSearchParams, name: string, now: Date): LogOptions {
  const errors: FieldError[] = [];
  const number = (key: string): number | undefined => {
    const value = query.get(key);
    if (value === null || value === '') return undefined;
    if (!/^[-+]?\d+$/.test(value))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
    return Number(value);
  };
  const [tailLines, limitBytes, sinceSeconds] = [number('tailLines'), number('limitBytes'), number('sinceSeconds')];
  const sinceTime = query.get('sinceTime');
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalidField('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalidField('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== null)
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalidField('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
  let since = sinceTime === null ? undefined : new Date(sinceTime);
  if (sinceSeconds !== undefined) since = new Date(now.getTime() - sinceSeconds * 1000);
  const on = (key: string): boolean => query.has(key) && isTrue(query.get(key));
  return {
    follow: on('follow'),
    previous: on('previous'),
    timestamps: on('timestamps'),
    ...(since === undefined || Number.isNaN(since.getTime()) ? {} : { since }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

/** The container that a request names; the error lists the containers of the pod. */
export function chooseContainer(pod: KubeObject, asked: string): string {
  const spec = maybe(pod, 'spec');
  const names = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    items(spec, list).map((container) => text(container, 'name')),
  );
  const podName = pod.metadata.name ?? '';
  if (asked !== '') {
    if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${podName}`);
    return asked;
  }
  const [first, ...others] = items(spec, 'containers').map((container) => text(container, 'name'));
  if (first === undefined || others.length > 0)
    throw badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
  return first;
}

/** The id of the run whose log is requested; the error says why there is none. */
function runOf(pod: KubeObject, container: string, previous: boolean): string {
  const podName = pod.metadata.name ?? '';
  const about = `container ${JSON.stringify(container)} in pod ${JSON.stringify(podName)}`;
  const status = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses']
    .flatMap((list) => items(maybe(pod, 'status'), list))
    .find((each) => text(each, 'name') === container);
  if (!status) throw badRequest(`${about} is not available`);
  const last = text(maybe(status, 'lastState.terminated'), 'containerID');
  if (previous) {
    if (last === '') throw badRequest(`previous terminated ${about} not found`);
    return last;
  }
  if (maybe(status, 'state.running')) return text(status, 'containerID');
  const terminated = maybe(status, 'state.terminated');
  if (terminated || maybe(status, 'lastState.terminated')) {
    const id = text(terminated, 'containerID') || last;
    if (id === '') throw badRequest(`${about} is terminated`);
    return id;
  }
  throw badRequest(`${about} is waiting to start${waitingText(maybe(status, 'state.waiting'))}`);
}

function waitingText(waiting: JsonObject | undefined): string {
  if (!waiting) return ' - no logs yet';
  const reason = text(waiting, 'reason');
  if (reason === 'ErrImagePull') return ": image can't be pulled";
  if (reason === 'ImagePullBackOff') return ': trying and failing to pull image';
  return `: ${reason}`;
}

function send(
  response: ServerResponse,
  logs: ContainerLogs,
  run: { pod: string; container: string; id: string },
  options: LogOptions,
): void {
  const { since, tailLines, timestamps, follow } = options;
  let left = options.limitBytes ?? Infinity;
  const write = (line: LogLine): boolean => {
    const bytes = Buffer.from(`${timestamps ? `${nanoTime(line.time)} ` : ''}${line.text}\n`);
    response.write(bytes.subarray(0, Math.min(left, bytes.length)));
    left -= bytes.length;
    return left > 0;
  };
  const { lines, ended } = logs.read(run.pod, run.container, run.id);
  const wanted = lines.filter((line) => since === undefined || line.time >= since);
  const tail = tailLines === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - tailLines));
  const full = !tail.every(write);
  if (!follow || ended || full) {
    response.end();
    return;
  }
  response.flushHeaders();
  const following = logs.follow(run.id, (line) => {
    if (line !== undefined && write(line)) return;
    following.close();
    response.end();
  });
  response.on('close', () => following.close());
}

/** RFC 3339 with nanoseconds, as the kubelet prints log times. */
function nanoTime(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000000Z`;
}
