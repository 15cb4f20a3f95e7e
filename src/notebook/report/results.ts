import { type JsonObject, textAt } from '../../model/json/index.js';
import { type CellResult, type JobStatus, SIMULATED_KERNEL } from '../job/index.js';
import type { RunReport } from './report.js';

/** All results of a status together; an object may have 1.5 MB, and there is more in it than results. */
const MAX_BYTES = 256 * 1024;
const MAX_RESULTS = 2000;

/**
 * The results of a run so far: the stored ones, updated from the log. A log may have lost its beginning when a new
 * controller reads it.
 */
export function mergeResults(stored: readonly CellResult[], report: RunReport): CellResult[] {
  const cells = new Map(stored.map((cell) => [cell.cellIndex, cell]));
  for (const cell of report.results) cells.set(cell.cellIndex, cell);
  if (report.end !== undefined && !report.end.succeeded)
    for (const cell of notReached(cells, report)) cells.set(cell.cellIndex, cell);
  return fit([...cells.values()].sort((a, b) => a.cellIndex - b.cellIndex));
}

/** Cells that never began are not successes. */
function notReached(cells: ReadonlyMap<number, CellResult>, { cells: total }: RunReport): CellResult[] {
  const missing: CellResult[] = [];
  for (let index = 0; index < Math.min(total, MAX_RESULTS); index++)
    if (!cells.has(index)) missing.push({ cellIndex: index, status: 'Skipped' });
  return missing;
}

/** The least useful parts are dropped first: outputs of succeeded cells, from the beginning. */
function fit(cells: readonly CellResult[]): CellResult[] {
  const kept =
    cells.length <= MAX_RESULTS
      ? [...cells]
      : [
          ...cells.slice(0, MAX_RESULTS - 1),
          ...cells
            .slice(MAX_RESULTS - 1)
            .filter(({ status }) => status === 'Failure')
            .slice(0, 1),
        ];
  let size = kept.reduce((sum, cell) => sum + sizeOf(cell), 0);
  for (const [index, cell] of kept.entries()) {
    if (size <= MAX_BYTES) break;
    if (cell.status === 'Failure' || cell.output === undefined) continue;
    const { output: _output, ...rest } = cell;
    size -= sizeOf(cell) - sizeOf(rest);
    kept[index] = rest;
  }
  return kept;
}

function sizeOf(cell: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(cell));
}

/** Of code cells only; a notebook without any is a success. */
export function statisticsOf(results: readonly CellResult[], report: RunReport): JsonObject {
  const code = results.filter((cell) => textAt(cell, 'cellType') === 'code');
  const codeCells = Math.max(report.codeCells, code.length);
  const succeeded = code.filter(({ status }) => status === 'Success').length;
  const failedCells = results.filter(({ status }) => status === 'Failure').length;
  return {
    totalCells: Math.max(report.cells, results.length),
    codeCells,
    failedCells,
    successRate: codeCells === 0 ? '100.00' : ((succeeded / codeCells) * 100).toFixed(2),
  };
}

/** The part of the report that is stored in the status. */
export function withReport(status: JobStatus, report: RunReport): JobStatus {
  if (report.kernel === '' && report.results.length === 0 && report.end === undefined) return status;
  // Nothing was executed: there is nothing to count.
  if (report.end?.isSimulated === true) return { ...status, kernel: SIMULATED_KERNEL };
  const results = mergeResults(status.results ?? [], report);
  return {
    ...status,
    ...(report.kernel === '' ? {} : { kernel: report.kernel }),
    results,
    statistics: statisticsOf(results, report),
    ...(report.checks.length === 0 ? {} : { checks: [...report.checks] }),
    ...(report.comparison === undefined ? {} : { comparisonResult: report.comparison }),
  };
}
