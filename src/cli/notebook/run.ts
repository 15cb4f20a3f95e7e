import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Fault } from '../../model/faults/index.js';
import { isObject, own, parseJson, type JsonObject } from '../../model/json/index.js';
import type { CliHost } from '../host/index.js';

export interface RunFlags {
  readonly golden?: string;
  readonly level?: string;
  readonly strict?: boolean;
  readonly cellTimeout?: number;
  readonly save?: string;
  readonly plain?: boolean;
  readonly output: 'text' | 'json';
}

/** How the runner says that the notebook itself is to blame. */
const NOTEBOOK_FAILED = 1;

/** Runs a notebook of this machine with the program that also runs it in a cluster, and prints its cells as they go. */
export async function run(file: string, flags: RunFlags, host: CliHost): Promise<number> {
  const nonce = randomBytes(12).toString('hex');
  const path = resolve(file);
  const order = {
    notebook: path,
    workdir: dirname(path),
    golden: flags.golden === undefined ? null : resolve(flags.golden),
    cellSeconds: flags.cellTimeout ?? null,
    validation: {
      ...(flags.level === undefined ? {} : { level: flags.level }),
      ...(flags.strict === true ? { strictMode: true } : {}),
    },
    ...(flags.save === undefined ? {} : { output: resolve(flags.save) }),
    ...(flags.plain === true ? { plain: true } : {}),
  };
  const child = spawn(host.environment['ARGOSY_PYTHON'] ?? 'python3', ['-B', join(host.runner, 'run.py')], {
    env: { ...host.environment, ARGOSY_RUN: JSON.stringify(order), ARGOSY_NONCE: nonce },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printer = flags.output === 'json' ? new JsonPrinter(host) : new TextPrinter(host);
  const ended = new Promise<number>((done, fail) => {
    child.on('error', (error) =>
      fail(
        new Fault('PYTHON_MISSING', 'Python not found', {
          where: child.spawnfile,
          cause: error,
        }),
      ),
    );
    child.on('close', (code) => done(code ?? 1));
  });
  const [code] = await Promise.all([ended, read(child.stdout, `@argosy ${nonce} `, printer)]);
  if (code > NOTEBOOK_FAILED && code < 128)
    throw new Fault('NOTEBOOK_UNUSABLE', printer.error || `the runner ended with exit code ${code}`, { where: file });
  return code;
}

/** Lines of the runner's own, and those of the notebook. */
async function read(input: Readable, mark: string, printer: Printer): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const event = line.startsWith(mark) ? parseJson(line.slice(mark.length)) : line;
    if (typeof event === 'string') printer.printed(event);
    else if (isObject(event)) printer.told(event);
  }
}

abstract class Printer {
  /** What the runner says went wrong. */
  error = '';

  constructor(readonly host: CliHost) {}

  told(event: JsonObject): void {
    if (event.event === 'end') this.error = words(event, 'error');
    this.show(event);
  }

  abstract printed(line: string): void;
  protected abstract show(event: JsonObject): void;
}

/** One event a line, for programs; what cells print is part of their events. */
class JsonPrinter extends Printer {
  printed(): void {
    // In the event of its cell.
  }

  protected show(event: JsonObject): void {
    this.host.stdout.write(`${JSON.stringify(event)}\n`);
  }
}

class TextPrinter extends Printer {
  printed(line: string): void {
    this.host.stdout.write(`    ${line}\n`);
  }

  protected show(event: JsonObject): void {
    const line = this.#line(event);
    if (line !== '') this.host.stdout.write(`${line}\n`);
  }

  #line(event: JsonObject): string {
    switch (event.event) {
      case 'start':
        return `${words(event, 'codeCells')} code cells of ${words(event, 'cells')}, run by ${words(event, 'kernel')}`;
      case 'begin':
        return `cell ${words(event, 'cell')}`;
      case 'cell':
        return cellLine(event);
      case 'check':
        return `check ${words(event, 'name')}: ${words(event, 'message')}`;
      case 'comparison':
        return comparisonLine(event);
      // What could not be run at all is told as an error.
      case 'end':
        return event.status === 'succeeded'
          ? `succeeded in ${words(event, 'seconds')} s`
          : `failed after ${words(event, 'seconds')} s: ${words(event, 'error')}`;
      default:
        return '';
    }
  }
}

function cellLine(event: JsonObject): string {
  if (event.status === 'Skipped') return event.cellType === 'code' ? `cell ${words(event, 'cell')}: skipped` : '';
  const line = `cell ${words(event, 'cell')}: ${words(event, 'status')} in ${words(event, 'seconds')} s`;
  const error = words(event, 'errorType');
  if (error === '' || event.status === 'Success') return line;
  return `${line}, ${error}: ${words(event, 'errorMessage').split('\n')[0] ?? ''}`;
}

function comparisonLine(event: JsonObject): string {
  const diffs = Array.isArray(event.diffs) ? event.diffs.filter(isObject) : [];
  const details = diffs.map(
    (diff) =>
      `  cell ${words(diff, 'cellIndex')}: ${words(diff, 'diffType')} (${words(diff, 'severity')})\n${words(
        diff,
        'diff',
      )
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}`,
  );
  return [
    `golden notebook: ${words(event, 'result')}, ${words(event, 'matchedCells')} of ` +
      `${words(event, 'totalCells')} cells`,
    ...details,
  ].join('\n');
}

function words(from: JsonObject, key: string): string {
  const value = own(from, key);
  return value === undefined || value === null ? '' : String(value);
}
