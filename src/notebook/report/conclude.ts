import { type CellResult, type Failure, type JobStatus, failure } from '../job/index.js';
import { textAt } from '../../model/json/index.js';
import { deniedReason } from '../pod/index.js';
import type { RunReport } from './report.js';
import { statisticsOf } from './results.js';

export type LogState = 'reading' | 'whole' | 'unreadable';

/** The failure of a notebook that ran to its end; undefined if it succeeded. */
export function concludeRun(exitCode: number, message: string, report: RunReport, log: LogState): Failure | undefined {
  const { end, comparison } = report;
  if (end === undefined || end.isSimulated) return failureWithoutReport(exitCode, message, log);
  if (exitCode === 0 && end.succeeded) {
    return comparison?.result === 'failed' ? comparisonFailure(report) : undefined;
  }
  // Exit code and report contradict each other: it does not count as a success.
  if (end.succeeded)
    return failure('RunnerTrouble', `the runner reported success but ended with exit code ${exitCode}`);
  switch (end.category) {
    case 'comparison_failed':
      return comparisonFailure(report);
    case 'check_failed':
      return failure('ChecksFailed', end.error || textAt(report.checks[0], 'message'));
    case 'configuration_error':
      return failure('ConfigurationError', end.error);
    case 'dependency_install_failed':
      return exitCode === 4 ? failure('PythonMissing', end.error) : failure('DependencyMissing', cellMessage(report));
    case 'environment_setup_failed':
      return exitCode === 1 ? failure('PermissionDenied', cellMessage(report)) : failure('PythonMissing', end.error);
    default:
      return exitCode === 5 ? failure('RunnerTrouble', end.error) : failure('NotebookFailed', cellMessage(report));
  }
}

/** By exit code alone: there is no report, or it could not be read. */
function failureWithoutReport(exitCode: number, message: string, log: LogState): Failure {
  const words = message === '' ? '' : `: ${message.split('\n').slice(-5).join('\n').slice(-500)}`;
  if (log === 'unreadable')
    return failure('LogsUnreadable', `the notebook ended with exit code ${exitCode}, and its log is not available`);
  if (exitCode === 0) return failure('ResultsMissing', 'the pod ended with exit code 0 but reported no results');
  if (exitCode === 3) return failure('ConfigurationError', `the notebook cannot be run${words}`);
  if (exitCode === 4) return failure('PythonMissing', `the image has no usable Python${words}`);
  const denied = deniedReason(exitCode, message);
  return denied === undefined
    ? failure('Unknown', `validator ended with exit code ${exitCode}${words}`)
    : failure(denied, `validator ended with exit code ${exitCode}${words}`);
}

function comparisonFailure({ comparison }: RunReport): Failure {
  return failure(
    'ComparisonFailed',
    'golden notebook comparison failed ' +
      `(${String(comparison?.matchedCells ?? 0)}/${String(comparison?.totalCells ?? 0)} cells matched)`,
  );
}

/** `cell 3 raised ModuleNotFoundError: No module named 'sklearn'` */
function cellMessage({ end, results }: RunReport): string {
  const cell = results.find(
    ({ status, cellIndex }) => status === 'Failure' && (end?.failedCell === undefined || cellIndex === end.failedCell),
  );
  if (cell === undefined) return end?.error ?? '';
  const [type, message] = [textAt(cell, 'errorType'), textAt(cell, 'errorMessage')];
  const what = [type, message].filter((text) => text !== '').join(': ');
  return `cell ${cell.cellIndex} ${type === '' ? 'failed' : 'raised'}${what === '' ? '' : ` ${what}`}`;
}

/** `Validation completed: 5/5 cells succeeded (100.0% success rate)` */
export function successMessage(results: readonly CellResult[], report: RunReport): string {
  const { codeCells } = statisticsOf(results, report);
  const total = typeof codeCells === 'number' ? codeCells : 0;
  const succeeded = results.filter((cell) => cell.status === 'Success' && textAt(cell, 'cellType') === 'code').length;
  return (
    `Validation completed: ${succeeded}/${total} cells succeeded ` +
    `(${(total === 0 ? 100 : (succeeded / total) * 100).toFixed(1)}% success rate)`
  );
}

/** While it runs: `Running cell 4 of 10`. */
export function progressMessage(report: RunReport, status: JobStatus): string {
  if (report.cells === 0) return 'Starting validation';
  const done = (status.results ?? []).length;
  return report.current === undefined
    ? `${done} of ${report.cells} cells done`
    : `Running cell ${report.current} (${done} of ${report.cells} done)`;
}
