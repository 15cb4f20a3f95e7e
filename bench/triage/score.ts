import { keyText } from '../../src/model/index.js';
import type { Report, ReportedCause } from '../../src/triage/index.js';
import type { LabelledFault, WorldCase } from './world-case.js';

/** Counts over many worlds: how often the first cause is true, how many faults were found, how many told causes are true. */
export class Score {
  #cases = 0;
  #first = 0;
  #found = 0;
  #faults = 0;
  #told = 0;
  #right = 0;
  #sure = 0;
  #surelyWrong = 0;

  constructor(readonly name: string) {}

  /** Whether the first cause is one of the faults. */
  count({ faults }: WorldCase, { causes }: Report): boolean {
    const told = causes.filter(({ severity }) => severity !== 'P3');
    const [top] = told;
    const isFirst = top !== undefined && faults.some((fault) => hits(top, fault));
    this.#cases++;
    this.#first += isFirst ? 1 : 0;
    this.#faults += faults.length;
    this.#found += faults.filter((fault) => told.some((cause) => hits(cause, fault))).length;
    this.#told += told.length;
    this.#right += told.filter((cause) => faults.some((fault) => hits(cause, fault))).length;
    if (top?.confidence === 'sure') {
      this.#sure++;
      this.#surelyWrong += isFirst ? 0 : 1;
    }
    return isFirst;
  }

  line(): string {
    const [precision, recall] = [this.#told === 0 ? 1 : this.#right / this.#told, this.#faults === 0 ? 1 : this.#found / this.#faults];
    const f1 = 2 * precision * recall / (precision + recall || 1);
    return `${this.name.padEnd(28)} ${String(this.#cases).padStart(5)} cases  A@1 ${part(this.#first, this.#cases)}  recall ${part(this.#found, this.#faults)}  precision ${part(this.#right, this.#told)}  F1 ${f1.toFixed(3)}  confident ${part(this.#sure, this.#cases)}  wrong when confident ${part(this.#surelyWrong, this.#sure)}`;
  }
}

function hits(cause: ReportedCause, fault: LabelledFault): boolean {
  return cause.objects.some((key) => fault.keys.has(keyText(key)));
}

const part = (some: number, all: number): string => (all === 0 ? '   -' : (some / all).toFixed(3));
