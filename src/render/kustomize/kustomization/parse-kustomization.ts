import { Fault } from '../../../model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../../model/json/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import { during, invalid, refault } from '../fault.js';
import type { Loader } from '../load/loader.js';
import { decodeWhole } from './decode.js';
import { helmChartOf } from './helm-chart-args.js';
import { kustomization as type, type GeneratorArgs, type Kustomization } from './types.js';

const FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

export interface KustomizationFile {
  /** Its name in the folder. */
  readonly file: string;
  readonly kustomization: Kustomization;
}

/** Reads the one kustomization file of a folder. `change` may put in what an Application overrides. */
export function readKustomization(loader: Loader, change?: (raw: JsonObject) => void): KustomizationFile {
  const found = FILES.filter((name) => loader.isFile(name));
  const [file] = found;
  const root = loader.formatPath(loader.root);
  if (file === undefined) {
    throw new Fault(
      'RENDER_PATH_MISSING',
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${root}'`,
      { where: root },
    );
  }
  if (found.length > 1) throw invalid(`Found multiple kustomization files under: ${root}\n`, root);
  const where = loader.pathOf(file);
  try {
    return { file, kustomization: parse(loader.text(file), root, change) };
  } catch (error) {
    if (!(error instanceof Fault) || error.where === where) throw error;
    throw refault(error, error.message, error.where === '' ? where : `${where}:${error.where.replace(/^line /, '')}`);
  }
}

function parse(text: string, root: string, change: ((raw: JsonObject) => void) | undefined): Kustomization {
  const raw = during('invalid Kustomization', () => readYamlText(text));
  if (change !== undefined && isObject(raw)) change(raw);
  const read = during('invalid Kustomization', () => decodeWhole(type, raw, true));
  const fixed = fix(read);
  if (isNothing(raw)) throw invalid('kustomization.yaml is empty');
  check(fixed, root);
  return fixed;
}

/** What sigs.k8s.io/yaml makes of a text, with its words where it cannot. */
export function readYamlText(text: string): Json {
  try {
    return readOneYaml(text, { dialect: 'kubernetes' });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'YAML_INVALID') throw error;
    throw refault(
      error,
      `yaml: ${error.where === '' ? '' : `line ${error.where.split(':')[0] ?? ''}: `}${error.message}`,
    );
  }
}

/** The same, in the words of a program that unmarshals a file. */
export function unmarshalText(text: string): Json {
  return during('error converting YAML to JSON', () => readYamlText(text));
}

/** A kustomization that says no more than what it is. */
function isNothing(raw: Json): boolean {
  if (!isObject(raw)) return true;
  return Object.keys(raw).every((key) => {
    const value = own(raw, key);
    return /^(kind|apiversion)$/i.test(key) || value === null || value === '';
  });
}

/** Moves old fields to where they belong today. */
function fix(read: Kustomization): Kustomization {
  const kind = read.kind === '' ? 'Kustomization' : read.kind;
  const withEnvs = <T extends GeneratorArgs>(args: T): T =>
    args.env === '' ? args : { ...args, envs: [...args.envs, args.env], env: '' };
  const { charts, globals } = helmChartOf(read.helmChartInflationGenerator);
  return {
    ...read,
    kind,
    apiVersion: read.apiVersion === '' ? requiredVersion(kind) : read.apiVersion,
    resources: [...read.resources, ...read.bases],
    images: [...read.images, ...read.imageTags],
    configMapGenerator: read.configMapGenerator.map(withEnvs),
    secretGenerator: read.secretGenerator.map(withEnvs),
    helmCharts: [...read.helmCharts, ...charts],
    helmGlobals: read.helmGlobals ?? globals,
  };
}

function requiredVersion(kind: string): string {
  return kind === 'Component' ? 'kustomize.config.k8s.io/v1alpha1' : 'kustomize.config.k8s.io/v1beta1';
}

function check({ kind, apiVersion }: Kustomization, root: string): void {
  const problems: string[] = [];
  if (kind !== 'Kustomization' && kind !== 'Component') problems.push('kind should be Kustomization or Component');
  if (apiVersion !== requiredVersion(kind)) problems.push(`apiVersion for ${kind} should be ${requiredVersion(kind)}`);
  if (problems.length > 0) throw invalid(`Failed to read kustomization file under ${root}:\n${problems.join('\n')}`);
}
