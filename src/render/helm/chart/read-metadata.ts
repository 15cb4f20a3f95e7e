import { Fault } from '../../../model/faults/index.js';
import { isObject, type Json } from '../../../model/json/index.js';
import { isPrintable, quoteGo } from '../../../model/go/index.js';
import { parseSemver } from '../../../model/formats/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { yamlErrorText } from '../functions/serialization/yaml-error-text.js';
import { asFloats } from '../values/table.js';
import { jsonKind, StructError, StructReader } from './go-struct-reader.js';
import type { Dependency, Maintainer, Metadata } from './metadata.js';

/**
 * Reads Chart.yaml and, over it, the requirements.yaml of older charts; a chart that Helm refuses is a fault in its
 * words.
 */
export function readMetadata(chart: string, requirements: string | undefined, where: string): Metadata {
  const fields = parse(chart, 'Chart.yaml', where);
  const more = requirements === undefined ? {} : parse(requirements, 'requirements.yaml', where);
  const metadata = inWords(requirements === undefined ? 'Chart.yaml' : 'requirements.yaml', where, chart, () =>
    decode(new StructReader({ ...fields, ...more }, 'Metadata'), where),
  );
  validate(metadata, where);
  return metadata;
}

function parse(text: string, file: string, where: string): Record<string, Json> {
  return inWords(file, where, text, () => {
    const value = asFloats(readOneYaml(text, { dialect: 'kubernetes' }));
    if (value === null) return {};
    if (!isObject(value))
      throw new StructError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type v2.Metadata`);
    return value as Record<string, Json>;
  });
}

function inWords<T>(file: string, where: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof StructError)
      throw invalid(`cannot load ${file}: error unmarshaling JSON: while decoding JSON: ${error.message}`, where);
    if (error instanceof Fault && error.code === 'YAML_INVALID') {
      throw invalid(`cannot load ${file}: error converting YAML to JSON: ${yamlErrorText(error, text)}`, where);
    }
    throw error;
  }
}

/** In the order of the names, so that of several mistakes the one that Go finds first is told. */
function decode(reader: StructReader, where: string): Metadata {
  return {
    annotations: reader.textMap('annotations'),
    apiVersion: reader.text('apiVersion') || 'v1',
    appVersion: clean(reader.text('appVersion')),
    condition: clean(reader.text('condition')),
    dependencies: reader.structs('dependencies', 'Dependency')?.map((item) => decodeDependency(item, where)),
    deprecated: reader.flag('deprecated'),
    description: clean(reader.text('description')),
    home: clean(reader.text('home')),
    icon: clean(reader.text('icon')),
    keywords: reader.texts('keywords').map(clean),
    kubeVersion: clean(reader.text('kubeVersion')),
    maintainers: reader.structs('maintainers', 'Maintainer')?.map((item) => decodeMaintainer(item, where)) ?? [],
    name: clean(reader.text('name')),
    sources: reader.texts('sources').map(clean),
    tags: clean(reader.text('tags')),
    type: reader.text('type'),
    version: reader.text('version'),
  };
}

function decodeMaintainer(reader: StructReader | undefined, where: string): Maintainer {
  if (reader === undefined) throw invalid('validation: maintainers must not contain empty or null nodes', where);
  return { email: clean(reader.text('email')), name: clean(reader.text('name')), url: clean(reader.text('url')) };
}

function decodeDependency(reader: StructReader | undefined, where: string): Dependency {
  if (reader === undefined) throw invalid('validation: dependencies must not contain empty or null nodes', where);
  return {
    alias: reader.text('alias'),
    condition: clean(reader.text('condition')),
    enabled: reader.flag('enabled'),
    importValues: reader.list('import-values', '[]interface {}') ?? [],
    name: clean(reader.text('name')),
    repository: clean(reader.text('repository')),
    tags: reader.texts('tags').map(clean),
    version: clean(reader.text('version')),
  };
}

function validate(metadata: Metadata, where: string): void {
  const { name, version, type } = metadata;
  const refuse = (problem: string): never => {
    throw invalid(`validation: ${problem}`, where);
  };
  if (name === '') refuse('chart.metadata.name is required');
  if (name === '.' || name === '..') refuse(`chart.metadata.name ${quoteGo(name)} is not allowed`);
  if (name.includes('/')) refuse(`chart.metadata.name ${quoteGo(name)} is invalid`);
  if (version === '') refuse('chart.metadata.version is required');
  if (!isVersion(version)) refuse(`chart.metadata.version ${quoteGo(version)} is invalid`);
  if (!['', 'application', 'library'].includes(type)) refuse('chart.metadata.type must be application or library');
  const seen = new Set<string>();
  for (const dependency of metadata.dependencies ?? []) {
    if (dependency.alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(dependency.alias)) {
      refuse(`dependency ${quoteGo(dependency.name)} has disallowed characters in the alias`);
    }
    const key = dependency.alias === '' ? dependency.name : dependency.alias;
    if (seen.has(key)) refuse(`more than one dependency with name or alias ${quoteGo(key)}`);
    seen.add(key);
  }
}

function isVersion(text: string): boolean {
  try {
    parseSemver(text);
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Every blank a space, and nothing that cannot be printed. */
function clean(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return Array.from(text, (rune) => {
    if (/\s|\x85/u.test(rune) && rune !== '\ufeff') return ' ';
    return isPrintable(rune.codePointAt(0) ?? 0) ? rune : '';
  }).join('');
}

function invalid(message: string, where: string): Fault {
  return new Fault('CHART_INVALID', message, { where });
}
