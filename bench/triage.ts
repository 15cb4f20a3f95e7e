import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectFiles, openTriage } from '../src/control/index.js';
import { openCatalogue } from '../src/health/index.js';
import { isArray, isObject, keyText, readOneYaml, splitApiVersion, type Json, type JsonObject } from '../src/model/index.js';
import type { Report } from '../src/triage/index.js';

/** `npm run bench:triage -- DIR...`: triage of fault worlds (npm run world -- --cases N --out DIR) against their labels. */
interface Fault {
  readonly name: string;
  readonly isHeldOut: boolean;
  readonly keys: ReadonlySet<string>;
}

interface Case {
  readonly name: string;
  readonly faults: readonly Fault[];
}

const CATALOGUE = join(import.meta.dirname, '../catalogue');
const files = readdirSync(CATALOGUE, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(yaml|lua)$/.test(path) && !path.endsWith('.cases.yaml'));
const judge = openTriage(openCatalogue(files.map((path) => ({ path, text: readFileSync(join(CATALOGUE, path), 'utf8') }))), () => 0);

const objects = (value: Json | undefined): JsonObject[] => (isArray(value) ? value.filter(isObject) : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function keyOf(object: JsonObject): string {
  return keyText({ group: splitApiVersion(text(object.apiVersion)).group, kind: text(object.kind), namespace: text(object.namespace), name: text(object.name) });
}

function readCase(folder: string, name: string): Case {
  const label = readOneYaml(readFileSync(join(folder, 'label.yaml'), 'utf8'), { dialect: 'kubernetes' });
  const faults = isObject(label) ? objects(label.faults) : [];
  return {
    name,
    faults: faults.map((fault) => ({
      name: text(fault.fault), isHeldOut: fault.isHeldOut === true,
      keys: new Set(objects(fault.roots).flatMap((root) => [root.object, ...objects(root.also)].filter(isObject)).map(keyOf)),
    })),
  };
}

interface Score {
  cases: number;
  first: number;
  found: number;
  faults: number;
  told: number;
  right: number;
}

const score = (): Score => ({ cases: 0, first: 0, found: 0, faults: 0, told: 0, right: 0 });

/** Whether a cause names an object of a fault. */
function hits(cause: Report['causes'][number], fault: Fault): boolean {
  return cause.objects.some((key) => fault.keys.has(keyText(key)));
}

function count(into: Score, { faults }: Case, { causes }: Report): boolean {
  const told = causes.filter(({ severity }) => severity !== 'P3');
  const [top] = told;
  const isFirst = top !== undefined && faults.some((fault) => hits(top, fault));
  into.cases++;
  into.first += isFirst ? 1 : 0;
  into.faults += faults.length;
  into.found += faults.filter((fault) => told.some((cause) => hits(cause, fault))).length;
  into.told += told.length;
  into.right += told.filter((cause) => faults.some((fault) => hits(cause, fault))).length;
  return isFirst;
}

const part = (some: number, all: number): string => (all === 0 ? '   -' : (some / all).toFixed(3));

function print(name: string, { cases, first, found, faults, told, right }: Score): void {
  const [precision, recall] = [told === 0 ? 1 : right / told, faults === 0 ? 1 : found / faults];
  console.log(`${name.padEnd(22)} ${String(cases).padStart(5)} cases  A@1 ${part(first, cases)}  recall ${part(found, faults)}  precision ${part(right, told)}  F1 ${(2 * precision * recall / (precision + recall || 1)).toFixed(3)}`);
}

async function main(): Promise<void> {
  const folders = process.argv.slice(2).filter((word) => !word.startsWith('--')).flatMap((root) => (existsSync(join(root, 'label.yaml')) ? [root] : readdirSync(root).sort().map((name) => join(root, name)))).filter((folder) => existsSync(join(folder, 'label.yaml')));
  const [known, heldOut] = [score(), score()];
  const [wellCases, wellP0, missed]: [string[], string[], string[]] = [[], [], []];
  for (const folder of folders) {
    const each = readCase(folder, folder);
    const report = judge(await collectFiles([folder], { now: 0 }));
    if (each.faults.length === 0) {
      wellCases.push(folder);
      if (report.causes.some(({ severity }) => severity === 'P0')) wellP0.push(folder);
      continue;
    }
    const isHeldOut = each.faults.some((fault) => fault.isHeldOut);
    if (!count(isHeldOut ? heldOut : known, each, report) && !isHeldOut) missed.push(`${folder}: ${each.faults.map(({ name }) => name).join(', ')} -> ${report.causes[0]?.title ?? 'nothing'}`);
  }
  print('faults', known);
  print('held-out faults', heldOut);
  console.log(`${'without a fault'.padEnd(22)} ${String(wellCases.length).padStart(5)} cases  with a P0: ${wellP0.length}`);
  if (process.argv.includes('--missed')) for (const line of missed) console.log(line);
}

await main();
