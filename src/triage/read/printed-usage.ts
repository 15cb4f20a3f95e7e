import type { KubeObject } from '../../model/kubernetes/index.js';
import { amountOf } from '../json/index.js';
import type { SnapshotBuilder } from './snapshot-builder.js';
import { cell, rowsOf, type Row } from './table-rows.js';
import type { TextBlock } from './text-blocks.js';

/** The tables of `kubectl top`: what pods, containers and nodes use. */
export function addPrintedUsage(
  blocks: readonly TextBlock[],
  objects: readonly KubeObject[],
  builder: SnapshotBuilder,
): void {
  for (const { kind, lines, typed } of blocks) {
    if (kind !== 'table' || !/\bCPU\(cores\)/.test(lines[0] ?? '')) continue;
    for (const row of rowsOf(lines)) addRow(row, typed?.namespace, objects, builder);
  }
}

/** The moment is not printed. */
const NO_TIME = 0;

function addRow(
  row: Row,
  namespace: string | undefined,
  objects: readonly KubeObject[],
  builder: SnapshotBuilder,
): void {
  const add = (name: string, labels: Record<string, string>, value: number): void =>
    builder.addSeries(name, labels, [[NO_TIME, value]]);
  const cores = amountOf(cell(row, 'CPU(cores)'));
  const bytes = amountOf(cell(row, 'MEMORY(bytes)'));
  const shares = [cell(row, 'CPU%') || cell(row, 'CPU(%)'), cell(row, 'MEMORY%') || cell(row, 'MEMORY(%)')];
  if (shares.some((each) => each !== '')) {
    const labels = { node: cell(row, 'NAME') };
    add('argosy_node_cpu_cores', labels, cores);
    add('argosy_node_memory_bytes', labels, bytes);
    for (const [name, text = ''] of [
      ['argosy_node_cpu_used_ratio', shares[0]],
      ['argosy_node_memory_used_ratio', shares[1]],
    ] as const)
      if (/^\d+%$/.test(text)) add(name, labels, Number.parseInt(text, 10) / 100);
    return;
  }
  const pod = cell(row, 'POD') || cell(row, 'NAME');
  const known = objects.filter(({ kind, metadata }) => kind === 'Pod' && metadata.name === pod);
  const place = cell(row, 'NAMESPACE') || namespace || (known.length === 1 ? known[0]?.metadata.namespace : undefined);
  const labels = { namespace: place ?? '', pod, container: cell(row, 'POD') === '' ? '' : cell(row, 'NAME') };
  add('argosy_cpu_cores', labels, cores);
  add('argosy_memory_bytes', labels, bytes);
}
