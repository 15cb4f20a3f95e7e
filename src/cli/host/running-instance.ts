import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { own, isObject, parseJson, type JsonObject } from '../../model/json/index.js';
import type { CliHost } from './cli-host.js';

/** An `argosy up` that runs on this machine, as its `run.json` describes it. */
export interface RunningInstance {
  readonly kubeconfig: string;
  /** The Kubernetes API that it serves. */
  readonly api: string;
  /** The page and Argo CD's API; empty in an older version. */
  readonly web: string;
  /** Of its control plane; empty in an older version. */
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
}

type Environment = CliHost['environment'];

/** The instance of the default data directory, if its process is alive. */
export function defaultInstance(environment: Environment): RunningInstance | undefined {
  return readInstance(environment['ARGOSY_DATA'] ?? join(homedir(), '.argosy'));
}

/** The instance that serves a cluster: that of the default data directory, or the one beside a named kubeconfig. */
function instanceOf(
  server: string,
  environment: Environment,
  kubeconfig: string | undefined,
): RunningInstance | undefined {
  const named = [kubeconfig, environment['KUBECONFIG']].flatMap((path) =>
    path === undefined || path === '' ? [] : [readInstance(dirname(path))],
  );
  return [defaultInstance(environment), ...named].find((each) => each?.api === server);
}

/** The profile of the control plane: that of the instance that serves the cluster, else as the environment says. */
export function profileOf(server: string, environment: Environment): RunningInstance['profile'] {
  const said = environment['ARGOSY_PROFILE'] === 'openshift' ? 'openshift' : 'kubernetes';
  return instanceOf(server, environment, undefined)?.profile ?? said;
}

/** The namespace of the control plane: as asked for, else that of the instance that serves the cluster. */
export function controlNamespaceOf(
  server: string,
  { environment }: Pick<CliHost, 'environment'>,
  { given, kubeconfig }: { readonly given: string | undefined; readonly kubeconfig: string | undefined },
): string {
  if (given !== undefined) return given;
  if (environment['ARGOSY_NAMESPACE'] !== undefined) return environment['ARGOSY_NAMESPACE'];
  return instanceOf(server, environment, kubeconfig)?.namespace || 'argocd';
}

function readInstance(data: string): RunningInstance | undefined {
  try {
    const run = parseJson(readFileSync(join(data, 'run.json'), 'utf8'));
    if (!isObject(run) || typeof run.pid !== 'number') return undefined;
    process.kill(run.pid, 0);
    return {
      kubeconfig: join(data, 'kubeconfig'),
      api: textOf(run, 'api'),
      web: textOf(run, 'web'),
      namespace: textOf(run, 'namespace'),
      profile: run.profile === 'openshift' ? 'openshift' : 'kubernetes',
    };
  } catch {
    // No such file, or no such process: nothing runs there.
    return undefined;
  }
}

function textOf(run: JsonObject, field: string): string {
  const value = own(run, field);
  return typeof value === 'string' ? value : '';
}
