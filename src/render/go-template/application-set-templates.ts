import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import {
  HELM_FUNCTIONS,
  defineVariadic,
  define,
  type FunctionHost,
  STRICT_STRUCTURED,
  Budget,
  type GoFunctions,
  ANY,
  STRING,
  STRING_MAP,
  functionError,
  TemplateError,
  TemplateSet,
  GoMap,
  setEntry,
  type GoObject,
  type GoValue,
} from '../helm/index.js';

/**
 * All templates of one set together, and more for each text and for each Application: thousands stay far below, a
 * template that loops is ended within a fraction of a second, for others wait meanwhile.
 */
const LIMITS = { steps: 500_000, output: 16 * 1024 * 1024, depth: 100 };
const STEPS_A_TEXT = 100;
const STEPS_AN_APPLICATION = 2000;

const MAX_NAME_LENGTH = 253;
const DEFAULT_SLUG_LENGTH = 50;

/** A text as a name of an object may be: lower case letters, digits, `-` and `.`. */
export function normalizeName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^-a-z0-9.]/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/^[-.]+/, '')
    .replace(/(?<![-.])[-.]+$/, '');
}

/** A short name of whole words where `isSmart`, else cut where the room ends. */
function slugify(name: string, most: number, isSmart: boolean): string {
  const slug = normalizeName(name)
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replaceAll(/-+/g, '-')
    .replace(/^-/, '')
    .replace(/-$/, '');
  if (most <= 0 || slug.length <= most) return slug;
  const end = slug.lastIndexOf('-', most);
  return isSmart && end > 0 ? slug.slice(0, end) : slug.slice(0, most);
}

/** `slugify NAME`, `slugify LENGTH NAME` or `slugify LENGTH SMART NAME`. */
function slugifyOf(args: readonly GoValue[]): string {
  const [name, [most = BigInt(DEFAULT_SLUG_LENGTH), isSmart = true]] = [args.at(-1) ?? '', args.slice(0, -1)];
  if (typeof name !== 'string' || typeof most !== 'bigint' || typeof isSmart !== 'boolean')
    throw functionError('slugify wants a length, true or false, and a text');
  return slugify(name, Number(most), isSmart);
}

const {
  include: _include,
  tpl: _tpl,
  required: _required,
  lookup: _lookup,
  getHostByName: _host,
  toToml: _toToml,
  mustToToml: _mustToToml,
  fromToml: _fromToml,
  toYamlPretty: _pretty,
  mustToYaml: _mustToYaml,
  fromJsonArray: _jsonArray,
  ...SPRIG
} = HELM_FUNCTIONS;

/** Sprig without what asks the outside, and what Argo CD adds. */
const FUNCTIONS: GoFunctions = {
  ...SPRIG,
  ...STRICT_STRUCTURED,
  normalize: define([STRING], STRING, (args) => normalizeName(args.text(0))),
  slugify: defineVariadic([], ANY, STRING, (args) => slugifyOf(args.all)),
};

const MISSING_KEY = {
  'missingkey=default': 'invalid',
  'missingkey=invalid': 'invalid',
  'missingkey=zero': 'zero',
  'missingkey=error': 'error',
} as const;

/** The Go templates of one ApplicationSet. What they may cost is counted together. */
export class ApplicationSetTemplates {
  readonly #host: FunctionHost;
  readonly #budget = new Budget(LIMITS);
  readonly #parsed = new Map<string, TemplateSet>();

  constructor(host: FunctionHost) {
    this.#host = host;
  }

  /** What comes now is of another Application. */
  beginApplication(): void {
    this.#budget.charge(-STEPS_AN_APPLICATION);
  }

  /** `options` are those of Go, such as `missingkey=error`. */
  fill(text: string, params: JsonObject, options: readonly string[]): string {
    const missingKey = options.reduce<'invalid' | 'zero' | 'error'>((_, option) => {
      if (!Object.hasOwn(MISSING_KEY, option))
        throw new Fault('VALUE_INVALID', `unrecognized option: ${option}`, { where: 'spec.goTemplateOptions' });
      return MISSING_KEY[option as keyof typeof MISSING_KEY];
    }, 'invalid');
    if (!text.includes('{{')) return text;
    this.#budget.charge(-STEPS_A_TEXT);
    const parsed = this.#withTemplateFaults('parse template', text, () => this.#parse(text));
    return this.#withTemplateFaults('execute go template', text, () =>
      parsed.has(NAME)
        ? parsed.execute(NAME, goValue(params, ''), { missingKey, budget: this.#budget, host: this.#host })
        : '',
    );
  }

  #parse(text: string): TemplateSet {
    let found = this.#parsed.get(text);
    if (found === undefined) {
      found = TemplateSet.parse([{ name: NAME, text }], FUNCTIONS);
      this.#parsed.set(text, found);
    }
    return found;
  }

  #withTemplateFaults<T>(what: string, text: string, act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new Fault(
        error.kind === 'budget' ? 'RENDER_LIMIT' : 'TEMPLATE_FAILED',
        `failed to ${what} ${text}: ${error.message}`,
        { cause: error },
      );
    }
  }
}

/** As Argo CD's errors name it. */
const NAME = 'base';

/**
 * Numbers are floats, as Go reads them from JSON. Labels, annotations and values are maps of texts: what they have not
 * is the empty text.
 */
function goValue(value: Json, name: string): GoValue {
  if (typeof value === 'bigint') return Number(value);
  if (isArray(value)) return value.map((item) => goValue(item, ''));
  if (!isObject(value)) return value;
  const object: GoObject = {};
  for (const key of Object.keys(value))
    setEntry(object, key, goValue(own(value, key) ?? null, name === 'metadata' ? `metadata.${key}` : key));
  const isOfTexts = TEXT_MAPS.has(name) && Object.values(object).every((entry) => typeof entry === 'string');
  return isOfTexts ? new GoMap(STRING_MAP, object) : object;
}

const TEXT_MAPS: ReadonlySet<string> = new Set(['metadata.labels', 'metadata.annotations', 'values']);
