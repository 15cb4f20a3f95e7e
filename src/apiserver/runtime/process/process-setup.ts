import { execFileSync } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { Fault } from '../../../model/faults/index.js';
import { ISSUER, type ServiceAccountTokens } from '../../access/index.js';
import { text, maybe } from '../../resources/index.js';
import type { AllowedImage } from './allowed-image.js';
import type { Place } from './pod-network.js';
import { loopbackOf, type PodNetworks } from './pod-networks.js';
import type { ProcessSetup } from './process-settings.js';
import { missingWalls } from './sandbox.js';

export interface ProcessOptions {
  readonly images: readonly AllowedImage[];
  /** The interpreter of notebooks, where somebody chose one. */
  readonly python?: string;
  /** What pods may reach besides themselves and the API server, such as a git server. */
  readonly reachable?: readonly Place[];
}

/** Images that an administrator lists run behind all walls, or the server does not start. */
export function requireWalls({ images }: ProcessOptions): void {
  if (images.every(({ withMissingWalls }) => withMissingWalls === true)) return;
  const missing = missingWalls();
  if (missing.length > 0)
    throw new Fault('WALLS_MISSING', `this machine cannot confine pods: it lacks ${missing.join('; ')}`, {
      where: '--runtime process',
    });
}

/** The longest that a token lives: a pod that runs longer asks for another one by its account. */
const MAX_TOKEN_SECONDS = 24 * 3600;

/** What processes need of the server that runs them. */
export function processSetup(
  { images, python, reachable = [] }: ProcessOptions,
  server: {
    readonly data: string;
    readonly url: string;
    readonly tokens: ServiceAccountTokens;
    readonly networks: PodNetworks;
    accept(connection: Duplex): void;
  },
  account: (namespace: string, name: string) => KubeObject | undefined,
): ProcessSetup {
  const { data, url, tokens, networks } = server;
  return {
    images,
    data,
    url,
    reachable,
    networks,
    accept: (connection) => server.accept(connection),
    address: (podIp) => loopbackOf(data, podIp),
    ...(python === undefined ? {} : { python: { program: python, folders: foldersOf(python) } }),
    token(pod, audience, seconds) {
      const [namespace, name] = [
        pod.metadata.namespace ?? '',
        text(maybe(pod, 'spec'), 'serviceAccountName') || 'default',
      ];
      const uid = account(namespace, name)?.metadata.uid ?? '';
      // Nothing renews the file while a process runs, so it lives as long as one may.
      const claims = {
        namespace,
        name,
        uid,
        audiences: [audience || ISSUER],
        pod: { name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' },
      };
      return tokens.issue(claims, audience === '' ? MAX_TOKEN_SECONDS : seconds).token;
    },
  };
}

/** An interpreter outside of the system's folders brings its own. */
function foldersOf(python: string): string[] {
  try {
    const output = execFileSync(
      python,
      ['-c', 'import sys; print(sys.prefix, sys.base_prefix, sys.executable, sep="\\n")'],
      { encoding: 'utf8', timeout: 20_000 },
    );
    return [...new Set(output.trim().split('\n'))].filter((path) => !path.startsWith('/usr/') && path !== '/usr');
  } catch {
    return []; // the runner takes the next interpreter
  }
}
