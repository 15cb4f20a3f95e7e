import { compareText, keyText, type JsonObject, type Key, type KubeObject } from '../../model/index.js';
import { formatTable } from '../table.js';
import { listAt, textAt } from './application-object.js';
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
  return { group: textAt(raw, 'group'), kind: textAt(raw, 'kind'), namespace: textAt(raw, 'namespace'), name: textAt(raw, 'name') };
}

/** The rows of the last operation first, in its order, then the other resources, sorted. */
export function resourceStates(application: KubeObject, choices: readonly Choice[] = [], healths: ReadonlyMap<string, string> = new Map()): ResourceState[] {
  const managed = new Map(listAt(application, 'status', 'resources').map((raw) => [keyText(keyAt(raw)), raw]));
  const healthOf = (raw: JsonObject): string => textAt(raw, 'health', 'status') || (healths.get(keyText(keyAt(raw))) ?? '');
  const rest = new Map(managed);
  const operated = listAt(application, 'status', 'operationState', 'syncResult', 'resources').map((result): ResourceState => {
    const key = keyAt(result);
    const raw = managed.get(keyText(key));
    rest.delete(keyText(key));
    const hook = textAt(result, 'hookType');
    const shared = { key, hook, message: textAt(result, 'message') };
    if (raw !== undefined && hook === '') return { ...shared, status: textAt(raw, 'status'), health: healthOf(raw) };
    return { ...shared, status: textAt(result, 'hookPhase'), health: textAt(result, 'status') };
  });
  const others = [...rest].sort(([a], [b]) => compareText(a, b)).map(([, raw]): ResourceState => ({ key: keyAt(raw), status: textAt(raw, 'status'), health: healthOf(raw), hook: '', message: '' }));
  return [...operated, ...others].filter(({ key }) => choices.length === 0 || isChosen(key, choices));
}

export function formatStates(states: readonly ResourceState[]): string {
  return formatTable(['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE'], states.map(cellsOf));
}

/** A table stays a table, whatever a message says. */
export function oneLine(text: string): string {
  return text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ').trim();
}

/** Rows as they come, aligned with all that came before. */
export class StateStream {
  readonly #seen = new Map<string, ResourceState>();
  readonly #widths = [25, 5, 10, 10, 20, 8, 7, 10];
  #hasHeader = false;
  #told = '';

  constructor(readonly write: (text: string) => void, readonly now: () => number) {}

  /** Prints what changed since the last time; what became empty keeps its last word. Gives the states that got Degraded. */
  show(states: readonly ResourceState[]): { readonly state: ResourceState; readonly before: string }[] {
    if (!this.#hasHeader) for (const state of states) this.#widen(cellsOf(state));
    this.#header();
    const worse: { state: ResourceState; before: string }[] = [];
    for (const state of states) {
      const id = keyText(state.key);
      const before = this.#seen.get(id);
      const merged = before === undefined ? state : { key: state.key, status: state.status || before.status, health: state.health || before.health, hook: state.hook || before.hook, message: state.message || before.message };
      if (before !== undefined && before.status === merged.status && before.health === merged.health && before.hook === merged.hook && before.message === merged.message) continue;
      this.#seen.set(id, merged);
      const { health } = merged;
      this.#line([timestamp(this.now()), ...cellsOf(merged)]);
      if (before !== undefined && before.health !== 'Unknown' && before.health !== 'Degraded' && health === 'Degraded') worse.push({ state: merged, before: before.health });
    }
    return worse;
  }

  /** What an operation waits for, whenever that is something else. */
  tell(message: string): void {
    if (message === '' || message === this.#told) return;
    this.#told = message;
    this.#header();
    this.write(`${timestamp(this.now())}  ${oneLine(message)}\n`);
  }

  /** Rows that come later stand below those that came before. */
  #widen(cells: readonly string[]): void {
    for (const [at, cell] of cells.slice(0, -1).entries()) this.#widths[at + 1] = Math.max(this.#widths[at + 1] ?? 0, cell.length);
  }

  #header(): void {
    if (this.#hasHeader) return;
    this.#hasHeader = true;
    this.#line(['TIMESTAMP', 'GROUP', 'KIND', 'NAMESPACE', 'NAME', 'STATUS', 'HEALTH', 'HOOK', 'MESSAGE']);
  }

  #line(cells: readonly string[]): void {
    const padded = cells.map((cell, column) => {
      const width = Math.max(this.#widths[column] ?? 0, cell.length);
      if (column < this.#widths.length) this.#widths[column] = width;
      return column === cells.length - 1 ? cell : column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    this.write(`${padded.join('  ').trimEnd()}\n`);
  }
}

function cellsOf({ key, status, health, hook, message }: ResourceState): string[] {
  return [key.group, key.kind, key.namespace, key.name, status, health, hook, oneLine(message)];
}

/** As `2026-10-06T07:28:18+00:00`. */
function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, '+00:00');
}
