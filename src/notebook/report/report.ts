import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isObject, numberAt, objectsAt, parseJson, textAt } from '../../model/json/index.js';
import type { CellResult } from '../job/index.js';

/** The report of the runner in one pod so far. */
export interface RunReport {
  readonly kernel: string;
  readonly cells: number;
  readonly codeCells: number;
  /** The cell that runs now. */
  readonly current: number | undefined;
  readonly results: readonly CellResult[];
  readonly checks: readonly JsonObject[];
  readonly comparison: JsonObject | undefined;
  readonly end: RunEnd | undefined;
}

export interface RunEnd {
  readonly succeeded: boolean;
  /** There was only a simulated container: no cell was executed. */
  readonly isSimulated: boolean;
  readonly category: string;
  readonly error: string;
  readonly failedCell: number | undefined;
}

export const NO_REPORT: RunReport = {
  kernel: '',
  cells: 0,
  codeCells: 0,
  current: undefined,
  results: [],
  checks: [],
  comparison: undefined,
  end: undefined,
};

const MAX_TEXT_LENGTH = 2000;
const MAX_MESSAGE_LENGTH = 1000;
const MAX_CELLS = 2000;
const MAX_CHECKS = 50;
const MAX_DIFFS = 50;
const CELL_STATES = ['Success', 'Failure', 'Skipped'];
const CELL_TYPES = ['code', 'markdown', 'raw'];

/**
 * Reads the lines of a pod's log. Only lines that begin with our mark and the nonce of this pod count, so nothing that
 * a notebook prints is taken for a result; of two reports on a cell the last counts.
 */
export class ReportReader {
  readonly #mark: string;
  readonly #cells = new Map<number, CellResult>();
  #report: RunReport = NO_REPORT;

  constructor(nonce: string) {
    this.#mark = `@argosy ${nonce} `;
  }

  get report(): RunReport {
    return { ...this.#report, results: [...this.#cells.values()].sort((a, b) => a.cellIndex - b.cellIndex) };
  }

  /** Whether the line was one of ours. */
  take(line: string): boolean {
    if (!line.startsWith(this.#mark)) return false;
    const event = parse(line.slice(this.#mark.length));
    if (event === undefined) return false;
    this.#note(event);
    return true;
  }

  #note(event: JsonObject): void {
    const cell = numberAt(event, 'cell');
    switch (textAt(event, 'event')) {
      case 'start':
        this.#report = {
          ...this.#report,
          kernel: textAt(event, 'kernel').slice(0, 200),
          cells: count(event, 'cells'),
          codeCells: count(event, 'codeCells'),
        };
        break;
      case 'begin':
        this.#report = { ...this.#report, current: cell };
        break;
      case 'cell': {
        const result = readCell(event);
        if (result !== undefined && (this.#cells.size < MAX_CELLS || result.status === 'Failure'))
          this.#cells.set(result.cellIndex, result);
        this.#report = { ...this.#report, current: undefined };
        break;
      }
      case 'check':
        if (event.ok === false && this.#report.checks.length < MAX_CHECKS) {
          const check: JsonObject = {
            name: textAt(event, 'name').slice(0, 100),
            ...(cell === undefined ? {} : { cell }),
            message: textAt(event, 'message').slice(0, MAX_MESSAGE_LENGTH),
          };
          this.#report = { ...this.#report, checks: [...this.#report.checks, check] };
        }
        break;
      case 'comparison':
        this.#report = { ...this.#report, comparison: readComparison(event) };
        break;
      case 'end':
        this.#report = {
          ...this.#report,
          current: undefined,
          end: {
            succeeded: textAt(event, 'status') === 'succeeded',
            isSimulated: textAt(event, 'status') === 'simulated',
            category: textAt(event, 'category').slice(0, 100),
            error: textAt(event, 'error').slice(0, MAX_MESSAGE_LENGTH),
            failedCell: numberAt(event, 'failedCell'),
          },
        };
        break;
    }
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function count(event: JsonObject, name: string): number {
  const value = numberAt(event, name) ?? 0;
  return Number.isInteger(value) && value >= 0 ? value : 0;
}

function readCell(event: JsonObject): CellResult | undefined {
  const cellIndex = numberAt(event, 'cell');
  const status = textAt(event, 'status');
  if (cellIndex === undefined || !Number.isInteger(cellIndex) || cellIndex < 0 || !CELL_STATES.includes(status))
    return undefined;
  const [cellType, seconds, executionCount] = [
    textAt(event, 'cellType'),
    numberAt(event, 'seconds'),
    numberAt(event, 'executionCount'),
  ];
  const texts = {
    output: cut(textAt(event, 'output'), MAX_TEXT_LENGTH),
    errorType: textAt(event, 'errorType').slice(0, 200),
    errorMessage: cut(textAt(event, 'errorMessage'), MAX_MESSAGE_LENGTH),
    traceback: cut(textAt(event, 'traceback'), MAX_TEXT_LENGTH),
  };
  return {
    cellIndex,
    ...(CELL_TYPES.includes(cellType) ? { cellType } : {}),
    status,
    ...(seconds === undefined || cellType !== 'code'
      ? {}
      : { executionTime: `${Math.max(0, Math.round(seconds * 1000) / 1000)}s` }),
    ...(executionCount === undefined || !Number.isInteger(executionCount) ? {} : { executionCount }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
  };
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}... (cut, ${text.length} characters)`;
}

const STRATEGIES = ['exact', 'normalized', 'fuzzy', 'semantic'];
const RESULTS = ['matched', 'failed', 'skipped'];

/** Only values that the CRD allows: an unknown one would make the API server reject the whole status. */
function readComparison(event: JsonObject): JsonObject | undefined {
  const [strategy, result] = [textAt(event, 'strategy'), textAt(event, 'result')];
  if (!RESULTS.includes(result)) return undefined;
  return {
    ...(STRATEGIES.includes(strategy) ? { strategy } : {}),
    result,
    totalCells: count(event, 'totalCells'),
    matchedCells: count(event, 'matchedCells'),
    mismatchedCells: count(event, 'mismatchedCells'),
    diffs: objectsAt(event, 'diffs').slice(0, MAX_DIFFS).map(readDiff),
  };
}

function readDiff(diff: JsonObject): JsonObject {
  const choice = (name: string, allowed: readonly string[]): JsonObject =>
    allowed.includes(textAt(diff, name)) ? { [name]: textAt(diff, name) } : {};
  return {
    cellIndex: count(diff, 'cellIndex'),
    ...choice('cellType', ['code', 'markdown']),
    ...choice('diffType', ['output_mismatch', 'execution_error', 'missing_cell', 'extra_cell']),
    ...choice('severity', ['minor', 'major', 'critical']),
    expected: textAt(diff, 'expected').slice(0, 500),
    actual: textAt(diff, 'actual').slice(0, 500),
    diff: textAt(diff, 'diff').slice(0, 1000),
  };
}
