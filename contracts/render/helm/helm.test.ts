import { describe, expect, it } from 'vitest';
import { casesOf } from './cases.js';
import { listCharts } from './charts.js';
import { compareCase } from './compare.js';
import { RealHelm } from './real-helm.js';

/**
 * A few that use much of the language each; `npm run prove -- helm-charts` compares all of them with all their values.
 */
const CHARTS = [
  'prometheus-community/kube-prometheus-stack',
  'prometheus-community/prometheus',
  'prometheus-community/prometheus-blackbox-exporter',
  'prometheus-community/prometheus-pushgateway',
  'argo-helm/argo-cd',
  'argo-helm/argo-workflows',
  'grafana/tempo-distributed',
  'grafana/promtail',
  'traefik/traefik',
  'cert-manager/cert-manager',
  'kyverno/kyverno',
  'external-secrets/external-secrets',
];
const MAX_VALUES = 3;

const helm = await RealHelm.open();
const listed = await listCharts([
  'prometheus-community',
  'argo-helm',
  'grafana',
  'traefik',
  'cert-manager',
  'kyverno',
  'external-secrets',
]);
const chartsMissing = listed.kind === 'missing' ? `skipped: charts (${listed.reason})` : undefined;
const absent = typeof helm === 'string' ? helm : chartsMissing;

describe('charts of others are rendered byte by byte as helm 4.2.1 renders them', () => {
  if (typeof helm === 'string' || listed.kind === 'missing') {
    it.skip(absent ?? '', () => {
      /* the name says why */
    });
    return;
  }
  const charts = listed.charts.filter(({ name }) => CHARTS.includes(name));

  it.each(charts.map((chart) => [chart.name, chart] as const))('%s', async (_, chart) => {
    for (const wanted of casesOf(chart).slice(0, MAX_VALUES)) {
      const { verdict, first } = await compareCase(helm, wanted);
      expect(['equal', 'random', 'fails alike'], `${wanted.values}: ${first}`).toContain(verdict);
    }
  });

  it('all charts of the list are there', () => expect(charts.length).toBe(CHARTS.length));
});
