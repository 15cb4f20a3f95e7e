import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasGo, isUnreachable } from '../real/go-build.js';

const run = promisify(execFile);

interface SourceModule {
  /**
   * A Go module at one version: fetched through the module proxy, which checks its sum, and then unchanged for ever.
   */
  readonly at: string;
  /** Folders of charts. */
  readonly charts?: readonly string[];
}

/** Charts and overlays that others wrote, by a short name. The archives of Go modules leave symlinks out. */
const MODULES = {
  'prometheus-community': {
    at: 'github.com/prometheus-community/helm-charts@v0.0.0-20260828105119-ed5d7d9b5933',
    charts: ['charts'],
  },
  'argo-helm': { at: 'github.com/argoproj/argo-helm@v0.0.0-20260904222229-3bbb4305eea9', charts: ['charts'] },
  grafana: { at: 'github.com/grafana/helm-charts@v0.0.0-20260820194520-7a0ab968961a', charts: ['charts'] },
  traefik: { at: 'github.com/traefik/traefik-helm-chart@v41.6.0+incompatible', charts: ['.'] },
  'cert-manager': {
    at: 'github.com/cert-manager/cert-manager@v1.21.2',
    charts: ['deploy/charts', 'make/config/pebble', 'make/config/samplewebhook'],
  },
  cilium: {
    at: 'github.com/cilium/cilium@v1.20.2',
    charts: [
      'install/kubernetes',
      'examples/datapath-plugin/deploy',
      'examples/kubernetes/addons',
      'test/k8s/manifests',
    ],
  },
  'cilium-1.15': { at: 'github.com/cilium/cilium@v1.15.19', charts: ['install/kubernetes'] },
  kyverno: { at: 'github.com/kyverno/kyverno@v1.19.1', charts: ['charts'] },
  'kyverno-1.13': { at: 'github.com/kyverno/kyverno@v1.13.4', charts: ['charts'] },
  'external-secrets': { at: 'github.com/external-secrets/external-secrets@v1.3.2', charts: ['deploy/charts'] },
  'cluster-api': { at: 'sigs.k8s.io/cluster-api@v1.14.2' },
  'argo-cd': {
    at: 'github.com/argoproj/argo-cd/v3@v3.5.6',
    charts: ['manifests/ha/base/redis-ha', 'util/helm/testdata', 'test/e2e/testdata', 'reposerver/repository/testdata'],
  },
  'argo-rollouts': { at: 'github.com/argoproj/argo-rollouts@v1.10.1', charts: ['examples'] },
  'training-operator': { at: 'github.com/kubeflow/training-operator@v1.8.1' },
} as const satisfies Record<string, SourceModule>;

export type ModuleName = keyof typeof MODULES;

export const CHART_MODULES = (Object.keys(MODULES) as ModuleName[]).filter((name) => 'charts' in MODULES[name]);

/** Module path and version: the key of everything that is kept about its content. */
export function moduleVersion(name: ModuleName): string {
  return MODULES[name].at;
}

export function chartFolders(name: ModuleName): readonly string[] {
  const module: SourceModule = MODULES[name];
  return module.charts ?? [];
}

/** Where each module stands in the cache of Go modules, or why this machine cannot have them. */
type Fetched =
  | { readonly kind: 'there'; readonly folder: (name: ModuleName) => string }
  | { readonly kind: 'missing'; readonly reason: string };

const fetched = new Map<string, Promise<Fetched>>();

/** Fetches what is not there yet; asked for again, answers at once. */
export function fetchModules(names: readonly ModuleName[]): Promise<Fetched> {
  const key = [...names].sort().join(' ');
  const known = fetched.get(key) ?? download(names);
  fetched.set(key, known);
  return known;
}

async function download(names: readonly ModuleName[]): Promise<Fetched> {
  if (!(await hasGo())) return { kind: 'missing', reason: 'no Go toolchain' };
  try {
    // Outside any module, so that no go.mod nearby has a say.
    const { stdout } = await run('go', ['mod', 'download', '-json', ...names.map((name) => MODULES[name].at)], {
      cwd: '/',
      maxBuffer: 16 << 20,
    });
    const folders = new Map(
      stdout.split(/^(?=\{)/m).map((text) => {
        const { Path, Version, Dir } = JSON.parse(text) as { Path: string; Version: string; Dir: string };
        return [`${Path}@${Version}`, Dir] as const;
      }),
    );
    return { kind: 'there', folder: (name) => folders.get(MODULES[name].at) ?? fail(name) };
  } catch (error) {
    if (isUnreachable(error)) return { kind: 'missing', reason: 'the Go module proxy is not reachable' };
    throw error;
  }
}

function fail(name: ModuleName): never {
  throw new Error(`the module ${name} was not asked for`);
}
