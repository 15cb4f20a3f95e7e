import { keyText } from '../../src/model/kubernetes/index.js';
import type { Report, ReportedCause } from '../../src/triage/index.js';
import type { LabelledFault, WorldCase } from './world-case.js';

/**
 * Counts over many worlds: how often the first cause is true, how many faults were found, how many told causes are
 * true.
 */
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

  get firstIsTrue(): number {
    return share(this.#first, this.#cases);
  }

  /** Of what was told as sure, the share that is wrong. */
  get wrongWhenSure(): number {
    return share(this.#surelyWrong, this.#sure);
  }

  get precision(): number {
    return share(this.#right, this.#told, 1);
  }

  get recall(): number {
    return share(this.#found, this.#faults, 1);
  }

  get f1(): number {
    return (2 * this.precision * this.recall) / (this.precision + this.recall || 1);
  }

  get cases(): number {
    return this.#cases;
  }

  line(): string {
    return (
      `${this.name.padEnd(28)} ${String(this.#cases).padStart(5)} cases  A@1 ${digits(this.firstIsTrue)}  ` +
      `recall ${digits(this.recall)}  precision ${digits(this.precision)}  F1 ${digits(this.f1)}  confident ` +
      `${digits(share(this.#sure, this.#cases))}  wrong when confident ${digits(this.wrongWhenSure)}`
    );
  }
}

function hits(cause: ReportedCause, fault: LabelledFault): boolean {
  return cause.objects.some((key) => fault.keys.has(keyText(key)));
}

const share = (some: number, all: number, ofNone = 0): number => (all === 0 ? ofNone : some / all);
const digits = (value: number): string => value.toFixed(3);
