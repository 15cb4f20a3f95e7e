import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEBIAN_NAMES, debianPath, installDebian } from './debian.js';
import { goProgram, goProgramPath } from './go-build.js';
import { KUBERNETES_VERSION, PACKAGES, partPath, realParts, type PartName } from './parts.js';
import { builtTool, toolPath, toolVersion, type ToolName } from './tools.js';

/** A program of others that suites start. */
export interface Part {
  /** Part of its key in the cache. */
  readonly version: string;
  /** Its full path, or undefined where this machine does not have it. Builds nothing. */
  find(): string | undefined;
  /** Builds or installs it once; the answer is why this machine cannot. */
  make(): Promise<string | undefined>;
}

function ofKubernetes(name: PartName): Part {
  return {
    version: KUBERNETES_VERSION,
    find: () => ifExists(partPath(name)),
    make: () => realParts([name]).then(reasonOf),
  };
}

function ofTool(name: ToolName): Part {
  return {
    version: toolVersion(name),
    find: () => ifExists(toolPath(name)),
    make: () => builtTool(name).then(reasonOf),
  };
}

/** A Go program that the module in a folder of `contracts` has or requires. */
function ofGo(name: string, folder: string, version: string, options?: Parameters<typeof goProgram>[2]): Part {
  const dir = join(import.meta.dirname, '..', folder);
  return {
    version,
    find: () => ifExists(goProgramPath(name, dir)),
    make: () => goProgram(name, dir, options).then(reasonOf),
  };
}

/** One program is the command line and every server of Argo CD, by ARGOCD_BINARY_NAME. */
const ARGO_CD = {
  target: 'github.com/argoproj/argo-cd/v3/cmd',
  variables: ['version=3.5.6', 'gitTag=v3.5.6', 'gitTreeState=clean', 'gitCommit=0000000000'].map(
    (each) => `github.com/argoproj/argo-cd/v3/common.${each}`,
  ),
};

function ifExists(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

function reasonOf(made: { readonly kind: string; readonly reason?: string }): string | undefined {
  return made.reason;
}

/** Everything that `npm run parts` can make, by name. A row added here is all that a further part needs. */
export const PARTS: Readonly<Record<string, Part>> = {
  ...Object.fromEntries((Object.keys(PACKAGES) as PartName[]).map((name) => [name, ofKubernetes(name)])),
  ...Object.fromEntries((['helm', 'kustomize', 'kwok'] as const).map((name) => [name, ofTool(name)])),
  ...Object.fromEntries(
    DEBIAN_NAMES.map((name) => [
      name,
      { version: 'Debian', find: () => debianPath(name), make: () => installDebian(name) },
    ]),
  ),
  argocd: ofGo('argocd', 'real/argocd', 'v3.5.6', ARGO_CD),
  'argocd-redis': ofGo('argocd-redis', 'real/argocd', 'miniredis'),
  coredns: ofGo('coredns', 'node/coredns', 'v1.12.1'),
  'node-application': ofGo('node-application', 'node/application', 'our own'),
};

/** Full paths of parts that are there; names what is missing, so that a suite can be skipped by name. */
export function cachedParts<N extends string>(
  names: readonly N[],
): { readonly paths: Readonly<Record<N, string>>; readonly missing: readonly N[] } {
  const found = names.map((name) => [name, PARTS[name]?.find()] as const);
  return {
    paths: Object.fromEntries(found.filter(([, path]) => path !== undefined)) as Record<N, string>,
    missing: found.filter(([, path]) => path === undefined).map(([name]) => name),
  };
}
