import { describe, expect, it } from 'vitest';
import { formatOf } from './dump-format.js';
import { hostServices, isHostText } from './host-services.js';
import { seriesJsonReader } from './series-json.js';
import { seriesTextReader } from './series-text.js';
import { SnapshotBuilder } from './snapshot-builder.js';
import type { DumpReader } from './read-dump.js';
import type { Snapshot } from '../snapshot/index.js';

function read(text: string, open: (builder: SnapshotBuilder) => DumpReader): Snapshot {
  const builder = new SnapshotBuilder();
  const reader = open(builder);
  // A chunk may end anywhere.
  for (let at = 0; at < text.length; at += 7) reader.push(Buffer.from(text.slice(at, at + 7)));
  reader.end();
  return builder.build(0);
}

const ofJson = (value: unknown): Snapshot =>
  read(JSON.stringify(value), (builder) => seriesJsonReader(builder, 'series.json'));

const METRIC = { __name__: 'node_memory_MemAvailable_bytes', instance: '10.0.0.1:9100' };

describe('JSON of monitoring', () => {
  it.each([
    [
      'an answer of query_range',
      { status: 'success', data: { resultType: 'matrix', result: [{ metric: METRIC, values: [[60, '5']] }] } },
    ],
    [
      'an answer of query',
      { status: 'success', data: { resultType: 'vector', result: [{ metric: METRIC, value: [60, '5'] }] } },
    ],
    ['a bare list', [{ metric: METRIC, values: [[60, '5']] }]],
    ['a line of an export', { metric: METRIC, values: [5], timestamps: [60_000] }],
  ])('%s is known and read', (_name, value) => {
    expect(formatOf(JSON.stringify(value))).toBe('monitoring');
    expect(ofJson(value).series).toEqual([
      { name: 'node_memory_MemAvailable_bytes', labels: { instance: '10.0.0.1:9100' }, samples: [[60_000, 5]] },
    ]);
  });

  it('alerts of Prometheus and of Alertmanager count while they fire', () => {
    const labels = { alertname: 'DiskFills', node: 'n1' };
    const alerts = [
      {
        labels,
        annotations: { description: 'soon' },
        startsAt: '2026-11-16T11:00:00Z',
        endsAt: '2026-11-16T12:04:00Z',
        status: { state: 'active' },
      },
      { labels: { ...labels, node: 'n2' }, startsAt: '2026-11-16T11:00:00Z', status: { state: 'suppressed' } },
    ];
    expect(formatOf(JSON.stringify(alerts))).toBe('monitoring');
    expect(ofJson(alerts).alerts).toEqual([
      { name: 'DiskFills', labels, summary: 'soon', since: Date.parse('2026-11-16T11:00:00Z') },
    ]);
  });

  it('an answer that is an error is named', () => {
    const { problems } = ofJson({
      status: 'error',
      errorType: 'timeout',
      error: 'query timed out',
      data: { resultType: 'matrix', result: [] },
    });
    expect(problems).toEqual(['series.json: Prometheus answered timeout: query timed out']);
  });

  it('what kubectl writes is no monitoring', () => {
    expect(formatOf('{"apiVersion":"v1","kind":"List","items":[]}')).toBe('json');
  });
});

describe('a scrape', () => {
  const SCRAPE = [
    '# HELP container_cpu_cfs_periods_total Number of elapsed enforcement period intervals.',
    '# TYPE container_cpu_cfs_periods_total counter',
    'container_cpu_cfs_periods_total{container="web",namespace="shop",pod="cart-\\"1"} 100 1763294400000',
    'container_cpu_cfs_periods_total{container="web",namespace="shop",pod="cart-\\"1"} 160 1763294460.5',
    'go_goroutines 9',
    'container_cpu_cfs_periods_total{container="web"} NaN',
    '# EOF',
  ].join('\n');

  it('is known by its first line, and only what rules ask for is kept', () => {
    expect(formatOf(SCRAPE)).toBe('scrape');
    expect(read(SCRAPE, seriesTextReader).series).toEqual([
      {
        name: 'container_cpu_cfs_periods_total',
        labels: { container: 'web', namespace: 'shop', pod: 'cart-"1' },
        samples: [
          [1763294400000, 100],
          [1763294460500, 160],
        ],
      },
    ]);
  });
});

describe('services of a node', () => {
  it('a journal says which runs: its last word counts', () => {
    const lines = [
      '-- Journal begins at Mon 2026-11-16 00:00:00 UTC. --',
      'Nov 16 11:40:00 pool-b-2 systemd[1]: Started kubelet: The Kubernetes Node Agent.',
      'Nov 16 11:40:01 pool-b-2 kubelet[812]: E1116 11:40:01 run.go:74] "command failed" err="no config"',
      "Nov 16 11:40:01 pool-b-2 systemd[1]: kubelet.service: Failed with result 'exit-code'.",
    ];
    expect(isHostText(lines.join('\n'))).toBe(true);
    expect(
      hostServices(lines, '').map(({ node, unit, state, lines: told }) => [node, unit, state, told.length]),
    ).toEqual([['pool-b-2', 'kubelet.service', 'failed', 1]]);
  });

  it('other services of the machine are none of the cluster', () => {
    const lines = ['● cups.service - CUPS Scheduler', '     Active: inactive (dead)'];
    expect(hostServices(lines, 'n1')).toEqual([]);
  });
});
