import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import {
  HELM_FUNCTIONS,
  type FunctionHost,
  templateFault,
  Budget,
  TemplateError,
  TemplateSet,
  setEntry,
  type GoObject,
  type GoValue,
} from '../helm/index.js';

/** A message is short: whatever needs more than this loops. */
const LIMITS = { steps: 500_000, output: 1024 * 1024, depth: 100 };

/** As in Argo CD a message asks nobody for an address. */
const { getHostByName: _, ...FUNCTIONS } = HELM_FUNCTIONS;

/** A Go template on its own, with the functions of Sprig. What it cannot do is a Fault in Go's words. */
export class TextTemplate {
  private constructor(
    private readonly name: string,
    private readonly set: TemplateSet,
  ) {}

  static parse(name: string, text: string): TextTemplate {
    return new TextTemplate(
      name,
      withTemplateFaults(name, () => TemplateSet.parse([{ name, text }], FUNCTIONS)),
    );
  }

  fill(data: JsonObject, host: FunctionHost): string {
    return withTemplateFaults(this.name, () =>
      this.set.has(this.name)
        ? this.set.execute(this.name, goValue(data), { missingKey: 'invalid', budget: new Budget(LIMITS), host })
        : '',
    );
  }
}

function withTemplateFaults<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof TemplateError ? templateFault(error, name, () => undefined) : error;
  }
}

/** Whole numbers of an object are integers in Go, others floats. */
function goValue(value: Json): GoValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (isArray(value)) return value.map(goValue);
  if (!isObject(value)) return value;
  const object: GoObject = {};
  for (const key of Object.keys(value)) setEntry(object, key, goValue(own(value, key) ?? null));
  return object;
}
