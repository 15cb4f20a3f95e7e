import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import { type Json, type JsonObject, isArray, isObject, objectsAt, own, put, textAt } from '../../model/json/index.js';
import { PathPattern } from '../../model/formats/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { maskUrl } from '../../source/index.js';
import type { GenerateFacts, GitFact } from './facts.js';
import type { TemplateFiller } from './template-filler.js';
import { flatten, pathParams, type Params } from './params.js';
import { fileMatcher } from './path-glob.js';
import { withValues } from './values.js';

/** One for each folder or each file of a repository that the patterns name. */
export async function gitParams(
  generator: JsonObject,
  facts: GenerateFacts,
  filling: TemplateFiller,
): Promise<Params[]> {
  const [directories, files] = [objectsAt(generator, 'directories'), objectsAt(generator, 'files')];
  const repoURL = textAt(generator, 'repoURL');
  if (repoURL === '') throw new Fault('VALUE_INVALID', 'git.repoURL is missing', { where: 'git.repoURL' });
  if (directories.length === 0 && files.length === 0)
    throw new Fault('VALUE_INVALID', 'git has neither directories nor files', { where: 'git' });
  const fact = await facts.git(repoURL, textAt(generator, 'revision'));
  const prefix = textAt(generator, 'pathParamPrefix');
  const found =
    directories.length > 0
      ? chosenDirectories(directories, fact.directories).map((path) =>
          pathParams(path, undefined, filling.isGo, prefix),
        )
      : await fileParams(
          chosenFiles(files, fact.files, facts.filePatterns),
          fact,
          filling.isGo,
          prefix,
          maskUrl(repoURL),
        );
  return found.map((params) => withValues(generator, params, filling));
}

/** A folder that one pattern excludes is not there, whatever others say. */
function chosenDirectories(patterns: readonly JsonObject[], directories: readonly string[]): string[] {
  const read = patterns.map((item) => ({
    pattern: pathPattern(textAt(item, 'path')),
    isExclude: own(item, 'exclude') === true,
  }));
  return directories.filter((path) => {
    const matching = read.filter(({ pattern }) => pattern.matches(path));
    return matching.length > 0 && !matching.some(({ isExclude }) => isExclude);
  });
}

function pathPattern(pattern: string): PathPattern {
  try {
    return new PathPattern(pattern);
  } catch (error) {
    throw new Fault('VALUE_INVALID', `the pattern ${pattern} of git.directories is invalid`, {
      where: 'git.directories',
      cause: error,
    });
  }
}

function chosenFiles(
  patterns: readonly JsonObject[],
  files: readonly string[],
  style: GenerateFacts['filePatterns'],
): string[] {
  const read = patterns.map((item) => ({
    matches: fileMatcher(textAt(item, 'path'), style),
    isExclude: own(item, 'exclude') === true,
  }));
  const is = (path: string, isExclude: boolean): boolean =>
    read.some((each) => each.isExclude === isExclude && each.matches(path));
  return files.filter((path) => is(path, false) && !is(path, true)).sort(compareText);
}

/** A file holds one set of parameters or a list of them. */
async function fileParams(
  paths: readonly string[],
  fact: GitFact,
  isGo: boolean,
  prefix: string,
  repoURL: string,
): Promise<Params[]> {
  const contents = await fact.read(paths);
  return paths.flatMap((path) => {
    const slash = path.lastIndexOf('/');
    const own = pathParams(slash < 0 ? '.' : path.slice(0, slash), path.slice(slash + 1), isGo, prefix);
    return objectsOf(path, contents.get(path), repoURL).map((object) => ({
      ...(isGo ? object : texts(object)),
      ...own,
    }));
  });
}

function objectsOf(path: string, text: string | undefined, repoURL: string): JsonObject[] {
  if (text === undefined)
    throw new Fault(
      'SOURCE_INVALID',
      `unable to process file '${path}' from repository '${repoURL}': it cannot be read`,
      { where: path },
    );
  let value: Json;
  try {
    value = readOneYaml(text, { dialect: 'kubernetes', file: path });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `unable to process file '${path}' from repository '${repoURL}': ${error.message}`, {
      where: path,
      cause: error,
    });
  }
  if (value === null) return [{}];
  if (isObject(value)) return [value];
  if (isArray(value) && value.every(isObject)) return value;
  throw new Fault(
    'VALUE_INVALID',
    `unable to process file '${path}' from repository '${repoURL}': it must contain an object or a list of objects`,
    { where: path },
  );
}

function texts(object: JsonObject): Params {
  const params: Params = {};
  for (const [key, value] of Object.entries(flatten(object))) put(params, key, value);
  return params;
}
