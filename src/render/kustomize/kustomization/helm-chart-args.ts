import type { HelmChart, Kustomization } from './types.js';

interface Globals {
  readonly chartHome: string;
  readonly configHome: string;
}

/** The charts of the field `helmChartInflationGenerator`, which `helmCharts` has replaced. */
export function helmChartOf(old: Kustomization['helmChartInflationGenerator']): {
  charts: HelmChart[];
  globals: Globals | undefined;
} {
  const last = (texts: readonly string[]): string => texts.filter((text) => text !== '').at(-1) ?? '';
  const [chartHome, configHome] = [last(old.map((args) => args.chartHome)), last(old.map((args) => args.helmHome))];
  return {
    charts: old.map((args) => ({
      ...NO_CHART,
      name: args.chartName,
      version: args.chartVersion,
      repo: args.chartRepoUrl,
      valuesFile: args.values,
      valuesInline: args.valuesLocal,
      valuesMerge: args.valuesMerge,
      releaseName: args.releaseName,
    })),
    globals: chartHome === '' && configHome === '' ? undefined : { chartHome, configHome },
  };
}

const NO_CHART: HelmChart = {
  name: '',
  version: '',
  repo: '',
  releaseName: '',
  namespace: '',
  additionalValuesFiles: [],
  valuesFile: '',
  valuesInline: {},
  valuesMerge: '',
  includeCRDs: false,
  skipHooks: false,
  apiVersions: [],
  kubeVersion: '',
  nameTemplate: '',
  skipTests: false,
  debug: false,
  devel: false,
};
