import { compareText } from '../../model/go/index.js';
import { keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { type JsonObject, objectsAt, textAt } from '../../model/json/index.js';
import { formatTable } from '../output/index.js';
import { isChosen, type Choice } from './resource-choice.js';

/** One row of the table of resources. */
export interface ResourceState {
  readonly key: Key;
  readonly status: string;
  readonly health: string;
  readonly hook: string;
  readonly message: string;
}

export function keyAt(raw: JsonObject): Key {
  return {
    group: textAt(raw, 'group'),
    kind: textAt(raw, 'kind'),
    namespace: textAt(raw, 'namespace'),
    name: textAt(raw, 'name'),
  };
}

/** The rows of the last operation first, in its order, then the other resources, sorted. */
export function resourceStates(
  application: KubeObject,
  choices: readonly Choice[] = [],
  healths: ReadonlyMap<string, string> = new Map(),
): ResourceState[] {
  const managed = new Map(objectsAt(application, 'status', 'resources').map((raw) => [keyText(keyAt(raw)), raw]));
  const healthOf = (raw: JsonObject): string =>
    textAt(raw, 'health', 'status') || (healths.get(keyText(keyAt(raw))) ?? '');
  const rest = new Map(managed);
  const operated = objectsAt(application, 'status', 'operationState', 'syncResult', 'resources').map(
    (result): ResourceState => {
      const key = keyAt(result);
      const raw = managed.get(keyText(key));
      rest.delete(keyText(key));
      const hook = textAt(result, 'hookType');
      const shared = { key, hook, message: textAt(result, 'message') };
      if (raw !== undefined && hook === '') return { ...shared, status: textAt(raw, 'status'), health: healthOf(raw) };
      return { ...shared, status: textAt(result, 'hookPhase'), health: textAt(result, 'status') };
    },
  );
  const others = [...rest]
    .sort(([a], [b]) => compareText(a, b))
    .map(
      ([, raw]): ResourceState => ({
        key: keyAt(raw),
        status: textAt(raw, 'status'),
        health: healthOf(raw),
        hook: '',
        message: '',
      }),
    );
  return [...operated, ...others].filter(({ key }) => choices.length === 0 || isChosen(key, choices));
}

export function formatStates(states: readonly ResourceState[]): string {
  return formatTable(
    ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'],
    states.map(cellsOf),
  );
}

/** A table stays a table, whatever a message says. */
export function oneLine(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ').trim();
}

const STREAMED = ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'];
/** What a window shows that is too narrow for all columns. */
const NARROW = ['KIND/NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'];

/** Rows as they come, aligned with all that came before. */
export class StateStream {
  readonly #seen = new Map<string, ResourceState>();
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  readonly #columns: number;
  #widths = [5, 10, 10, 20, 8, 7, 10];
  #isNarrow = false;
  #hasHeader = false;
  #told = '';

  /** `columns` of the window that somebody reads it in; none where nobody does. */
  constructor(write: (text: string) => void, now: () => number, columns = Infinity) {
    this.#write = write;
    this.#now = now;
    this.#columns = columns;
  }

  /**
   * Prints what changed since the last time; what became empty keeps its last word. Gives the states that got Degraded.
   */
  show(states: readonly ResourceState[]): { readonly state: ResourceState; readonly before: string }[] {
    this.#header(states);
    const worse: { state: ResourceState; before: string }[] = [];
    for (const state of states) {
      const id = keyText(state.key);
      const before = this.#seen.get(id);
      const merged =
        before === undefined
          ? state
          : {
              key: state.key,
              status: state.status || before.status,
              health: state.health || before.health,
              hook: state.hook || before.hook,
              message: state.message || before.message,
            };
      if (
        before !== undefined &&
        before.status === merged.status &&
        before.health === merged.health &&
        before.hook === merged.hook &&
        before.message === merged.message
      )
        continue;
      this.#seen.set(id, merged);
      this.#line(this.#time(), this.#cells(merged));
      if (
        before !== undefined &&
        before.health !== 'Unknown' &&
        before.health !== 'Degraded' &&
        merged.health === 'Degraded'
      )
        worse.push({ state: merged, before: before.health });
    }
    return worse;
  }

  /** What an operation waits for, whenever that is something else. */
  showMessage(message: string): void {
    if (message === '' || message === this.#told) return;
    this.#told = message;
    this.#write(`${this.#time()}  ${oneLine(message)}\n`);
  }

  /** As wide as what is known now; where that is more than the window has, group and namespace are left out. */
  #header(states: readonly ResourceState[]): void {
    if (this.#hasHeader) return;
    this.#hasHeader = true;
    const widest = (rows: readonly (readonly string[])[], least: readonly number[]): number[] =>
      least.map((width, at) => Math.max(width, ...rows.map((row) => row[at]?.length ?? 0)));
    this.#widths = widest(states.map(cellsOf), this.#widths);
    const needed = this.#widths.slice(0, -1).reduce((sum, width) => sum + width + 2, timestamp(0).length);
    if (needed > this.#columns) {
      this.#isNarrow = true;
      this.#widths = widest(
        [NARROW, ...states.map(narrowCells)].map((row) => row.slice(0, -1)),
        [0, 9, 11, 4],
      );
    }
    this.#line(this.#isNarrow ? 'TIME' : 'TIMESTAMP', this.#isNarrow ? NARROW : STREAMED);
  }

  #time(): string {
    const whole = timestamp(this.#now());
    return this.#isNarrow ? whole.slice(11, 19) : whole;
  }

  #cells(state: ResourceState): string[] {
    return this.#isNarrow ? narrowCells(state) : cellsOf(state);
  }

  #line(time: string, cells: readonly string[]): void {
    const padded = cells.map((cell, column) => {
      if (column === cells.length - 1) return cell;
      const width = Math.max(this.#widths[column] ?? 0, cell.length);
      this.#widths[column] = width;
      return this.#isNarrow ? cell.padEnd(width) : cell.padStart(width);
    });
    this.#write(`${[time.padEnd(this.#isNarrow ? 8 : timestamp(0).length), ...padded].join('  ').trimEnd()}\n`);
  }
}

function narrowCells({ key, status, health, hook, message }: ResourceState): string[] {
  return [`${key.kind}/${key.name}`, status, health, hook, oneLine(message)];
}

function cellsOf({ key, status, health, hook, message }: ResourceState): string[] {
  return [key.group, key.kind, key.namespace, key.name, status, health, hook, oneLine(message)];
}

/** As `2026-10-06T07:28:18+00:00`. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, '+00:00');
}
