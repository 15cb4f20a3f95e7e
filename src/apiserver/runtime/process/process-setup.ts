import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ISSUER, type ServiceAccountTokens } from '../../access/index.js';
import { text, maybe } from '../../resources/index.js';
import type { AllowedImage } from './allowed-image.js';
import type { ProcessSetup } from './process-runtime.js';

export interface ProcessOptions {
  readonly images: readonly AllowedImage[];
  /** The interpreter of notebooks, where somebody chose one. */
  readonly python?: string;
}

/** The longest that a token lives: a pod that runs longer asks for another one by its account. */
const MAX_TOKEN_SECONDS = 24 * 3600;

/** What processes need of the server that runs them. */
export function processSetup(
  { images, python }: ProcessOptions,
  server: { readonly data: string; readonly url: string; readonly tokens: ServiceAccountTokens },
  account: (namespace: string, name: string) => KubeObject | undefined,
): ProcessSetup {
  const { data, url, tokens } = server;
  return {
    images,
    data,
    url,
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

/**
 * Pods have addresses that lead nowhere on this machine; their processes are reached at an address of its loopback
 * network instead, one for each pod, so that all of them can have the same port. Clusters of one machine differ in the
 * second number.
 */
export function loopbackOf(data: string, podIp: string): string {
  const cluster = 64 + ((createHash('sha256').update(data).digest()[0] ?? 0) % 190);
  const [, , third = '0', fourth = '1'] = podIp.split('.');
  return `127.${cluster}.${third}.${fourth}`;
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
