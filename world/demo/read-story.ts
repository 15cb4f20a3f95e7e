import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Fault } from '../../src/model/faults/index.js';
import { isArray, isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Story, StoryRef, StorySign, StoryStep, ExpectedCause } from './story.js';

/** All stories of a folder, by name. A slip is a fault with the file and the field. */
export function readStories(folder: string): ReadonlyMap<string, Story> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  return new Map(
    files.map((file) => [
      basename(file, '.yaml'),
      readStory(basename(file, '.yaml'), readFileSync(join(folder, file), 'utf8')),
    ]),
  );
}

const FIELDS = [
  'title',
  'seed',
  'heading',
  'controllers',
  'scene',
  'healthy',
  'break',
  'symptoms',
  'heal',
  'cause',
] as const;

export function readStory(name: string, text: string): Story {
  const where = `stories/${name}.yaml`;
  const fields = new Fields(asObject(readOneYaml(text, { dialect: 'kubernetes', file: where }), where, ''), where, '');
  fields.only(FIELDS);
  const cause = fields.object('cause');
  cause.only(['object', 'because', 'repair', 'told', 'untold']);
  return {
    name,
    title: fields.text('title'),
    seed: fields.has('seed') ? fields.text('seed') : '',
    heading: fields.has('heading') ? fields.text('heading') : '',
    controllers: fields.list('controllers').map((item) => String(item)),
    scene: fields.objects('scene').map(readStep),
    healthy: fields.objects('healthy').map(readSign),
    break: fields.objects('break').map(readStep),
    symptoms: fields.objects('symptoms').map(readSign),
    heal: fields.objects('heal').map(readStep),
    cause: {
      object: readRef(cause.object('object')),
      because: cause.text('because'),
      repair: cause.text('repair'),
      told: readExpectedCause(cause),
    },
  };
}

function readExpectedCause(cause: Fields): ExpectedCause {
  if (cause.oneOf(['told', 'untold']) === 'untold') return { kind: 'untold', why: cause.text('untold') };
  const told = cause.object('told');
  told.only(['object', 'words', 'lingers']);
  return {
    kind: 'told',
    words: told.list('words').map((word) => String(word)),
    ...(told.has('object') ? { object: readRef(told.object('object')) } : {}),
    ...(told.has('lingers') ? { lingers: told.text('lingers') } : {}),
  };
}

function readStep(fields: Fields): StoryStep {
  switch (fields.oneOf(['apply', 'patch', 'delete', 'until'])) {
    case 'apply':
      fields.only(['apply']);
      return { kind: 'apply', object: fields.kubeObject('apply') };
    case 'patch': {
      fields.only(['patch', 'with', 'subresource']);
      const subresource = fields.has('subresource') ? { subresource: fields.text('subresource') } : {};
      return { kind: 'patch', of: readRef(fields.object('patch')), patch: fields.object('with').value, ...subresource };
    }
    case 'delete':
      fields.only(['delete']);
      return { kind: 'delete', of: readRef(fields.object('delete')) };
    default:
      fields.only(['until']);
      return { kind: 'until', sign: readSign(fields.object('until')) };
  }
}

function readSign(fields: Fields): StorySign {
  if (fields.has('refused')) {
    fields.only(['refused', 'message']);
    return { kind: 'refused', object: fields.kubeObject('refused'), message: fields.text('message') };
  }
  if (fields.has('event')) {
    fields.only(['event', 'type', 'reason', 'message']);
    return {
      kind: 'event',
      of: readRef(fields.object('event')),
      type: fields.word('type', ['Normal', 'Warning']),
      reason: fields.text('reason'),
      message: fields.text('message'),
    };
  }
  if (fields.has('log')) {
    fields.only(['log', 'container', 'message']);
    return {
      kind: 'log',
      of: readRef(fields.object('log')),
      container: fields.text('container'),
      message: fields.text('message'),
    };
  }
  if (fields.has('git')) {
    const said = fields.oneOf(['has', 'lacks']);
    fields.only(['git', said]);
    return { kind: 'git', of: readRef(fields.object('git')), file: fields.text(said), has: said === 'has' };
  }
  const kind = fields.oneOf(['shows', 'columns', 'absent']);
  fields.only(['get', kind]);
  const of = readRef(fields.object('get'));
  if (kind === 'absent') return { kind, of };
  const { value } = fields.object(kind);
  return kind === 'shows'
    ? { kind, of, shows: value }
    : {
        kind: 'row',
        of,
        columns: Object.fromEntries(Object.entries(value).map(([head, cell]) => [head, String(cell)])),
      };
}

function readRef(fields: Fields): StoryRef {
  fields.only(['apiVersion', 'kind', 'namespace', 'name']);
  return {
    apiVersion: fields.text('apiVersion'),
    kind: fields.text('kind'),
    name: fields.text('name'),
    ...(fields.has('namespace') ? { namespace: fields.text('namespace') } : {}),
  };
}

/** An object of a story file, with where it stands for messages. */
class Fields {
  constructor(
    readonly value: JsonObject,
    private readonly file: string,
    private readonly path: string,
  ) {}

  has(name: string): boolean {
    return own(this.value, name) !== undefined;
  }

  only(names: readonly string[]): void {
    for (const name of Object.keys(this.value))
      if (!names.includes(name)) this.#fail(name, `is no field here: ${names.join(', ')} are`);
  }

  oneOf<Name extends string>(names: readonly Name[]): Name {
    const found = names.filter((name) => this.has(name));
    const [only] = found;
    return only !== undefined && found.length === 1 ? only : this.#fail('', `must have one of ${names.join(', ')}`);
  }

  text(name: string): string {
    const value = own(this.value, name);
    return typeof value === 'string' && value !== '' ? value : this.#fail(name, 'must be text');
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.text(name);
    return words.find((word) => word === value) ?? this.#fail(name, `must be one of ${words.join(', ')}`);
  }

  list(name: string): readonly Json[] {
    const value = own(this.value, name) ?? [];
    return isArray(value) ? value : this.#fail(name, 'must be a list');
  }

  object(name: string): Fields {
    return new Fields(asObject(own(this.value, name) ?? null, this.file, this.#at(name)), this.file, this.#at(name));
  }

  objects(name: string): Fields[] {
    return this.list(name).map(
      (item, index) =>
        new Fields(asObject(item, this.file, `${this.#at(name)}[${index}]`), this.file, `${this.#at(name)}[${index}]`),
    );
  }

  kubeObject(name: string): KubeObject {
    const { value } = this.object(name);
    const metadata = own(value, 'metadata');
    if (
      typeof value.apiVersion !== 'string' ||
      typeof value.kind !== 'string' ||
      !isObject(metadata) ||
      typeof metadata.name !== 'string'
    )
      this.#fail(name, 'must be an object with apiVersion, kind and metadata.name');
    return value as KubeObject;
  }

  #at(name: string): string {
    return [this.path, name].filter((part) => part !== '').join('.');
  }

  #fail(name: string, problem: string): never {
    throw new Fault('VALUE_INVALID', `${this.#at(name) || 'the story'} ${problem}`, { where: this.file });
  }
}

function asObject(value: Json, file: string, path: string): JsonObject {
  if (!isObject(value))
    throw new Fault('VALUE_INVALID', `${path === '' ? 'the story' : path} must be an object`, { where: file });
  return value;
}
