import { Fault } from '../../../model/faults/index.js';
import { readOneYaml } from '../../../model/yaml/index.js';
import type { CallContext, GoFunction, GoFunctions } from '../template/value/go-function.js';
import { ANY, LIST, MAP, STRING } from '../template/value/go-type.js';
import { functionError, TemplateError } from '../template/template-error.js';
import { asObject, GoMap, GoSlice, setEntry, type GoObject, type GoValue } from '../template/value/go-value.js';
import { define, typeOfNil } from './define.js';
import { fromPlain, jsonKind, readJson, type ReadJson } from './serialization/json-reader.js';
import { toJson } from './serialization/json-writer.js';
import { readToml } from './toml/read-toml.js';
import { writeToml } from './toml/write-toml.js';
import { yamlErrorText } from './serialization/yaml-error-text.js';
import { toYamlPretty } from './serialization/yaml-pretty.js';
import { toYaml } from './serialization/yaml-writer.js';

/** JSON, YAML and TOML to values and back. */

type Write = (value: GoValue) => string;

/** Helm's and sprig's writers give nothing where they fail, or the failure's text; their `must` twins fail. */
function writer(write: Write, onFailure: 'silent' | 'text' | 'fail'): GoFunction {
  return define([ANY], STRING, (args, context) => {
    try {
      return charged(write(args.any(0)), context);
    } catch (error) {
      if (!(error instanceof TemplateError) || error.kind === 'budget' || onFailure === 'fail') throw error;
      return onFailure === 'text' ? error.message : '';
    }
  });
}

/** Where Go panics on nil, no matter how the function treats errors. */
function notNil(definition: GoFunction): GoFunction {
  return {
    ...definition,
    call: (args, context) => {
      if (args[0] === null) throw typeOfNil();
      return definition.call(args, context);
    },
  };
}

function charged(text: string, context: CallContext): string {
  context.charge(text.length >> 4);
  return text;
}

/** A map, with the complaint under `Error` where the text is wrong. */
function mapFrom({ value, problem }: ReadJson, wrap: (problem: string) => string): GoValue {
  const map: GoObject = (value === null ? undefined : asObject(value)) ?? {};
  const complaint = value === null || asObject(value) !== undefined ? problem : cannotUnmarshal(value, MAP.name);
  if (complaint !== undefined) setEntry(map, 'Error', wrap(complaint));
  return map;
}

/** A list, or one with nothing but the complaint. */
function listFrom({ value, problem }: ReadJson, wrap: (problem: string) => string): GoValue[] {
  const complaint = value === null || Array.isArray(value) ? problem : cannotUnmarshal(value, LIST.name);
  if (complaint !== undefined) return [wrap(complaint)];
  return Array.isArray(value) ? value : [];
}

/** Helm decodes JSON into the map or list itself, so null leaves it nil; YAML it decodes into a copy. */
function isNull({ value, problem }: ReadJson): boolean {
  return value === null && problem === undefined;
}

function cannotUnmarshal(value: GoValue, type: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;
}

interface ReadYaml extends ReadJson {
  readonly stage: 'yaml' | 'json';
}

function readYaml(text: string): ReadYaml {
  try {
    return { value: fromPlain(readOneYaml(text, { dialect: 'kubernetes' })), stage: 'json' };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { value: null, problem: yamlErrorText(error, text), stage: 'yaml' };
  }
}

function explained({ stage }: ReadYaml): (problem: string) => string {
  return (problem) =>
    stage === 'yaml'
      ? `error converting YAML to JSON: ${problem}`
      : `error unmarshaling JSON: while decoding JSON: ${problem}`;
}

function same(problem: string): string {
  return problem;
}

function reader<T extends ReadJson>(
  read: (text: string) => T,
  give: (found: T) => GoValue,
  result: GoFunction['result'],
): GoFunction {
  return define([STRING], result, (args, context) => {
    context.charge(args.text(0).length >> 2);
    return give(read(args.text(0)));
  });
}

const compact: Write = (value) => toJson(value, { html: true });
const pretty: Write = (value) => toJson(value, { html: true, pretty: true });
const raw: Write = (value) => toJson(value, { html: false });

export const STRUCTURED: GoFunctions = {
  toJson: writer(compact, 'silent'),
  mustToJson: writer(compact, 'fail'),
  toPrettyJson: writer(pretty, 'silent'),
  mustToPrettyJson: writer(pretty, 'fail'),
  toRawJson: writer(raw, 'fail'),
  mustToRawJson: writer(raw, 'fail'),
  fromJson: reader(readJson, (found) => (isNull(found) ? new GoMap(MAP, {}, true) : mapFrom(found, same)), MAP),
  fromJsonArray: reader(
    readJson,
    (found) => (isNull(found) ? new GoSlice(LIST, [], true) : listFrom(found, same)),
    LIST,
  ),
  mustFromJson: reader(
    readJson,
    ({ value, problem }) => {
      if (problem !== undefined) throw functionError(problem);
      return value;
    },
    ANY,
  ),
  toYaml: writer(toYaml, 'silent'),
  mustToYaml: writer(toYaml, 'fail'),
  toYamlPretty: writer(toYamlPretty, 'silent'),
  fromYaml: reader(readYaml, (found) => mapFrom(found, explained(found)), MAP),
  fromYamlArray: reader(readYaml, (found) => listFrom(found, explained(found)), LIST),
  toToml: notNil(writer(writeToml, 'text')),
  mustToToml: notNil(writer(writeToml, 'fail')),
  fromToml: reader(readToml, (found) => mapFrom(found, same), MAP),
};

function orFail(found: ReadJson, complaint: string | undefined, wrap: (problem: string) => string): void {
  const problem = found.problem ?? complaint;
  if (problem !== undefined) throw functionError(wrap(problem));
}

/**
 * The same without Helm's forgiveness, as ApplicationSets have them: text that is wrong ends the template. JSON is
 * sprig's own, which gives nil for it.
 */
export const STRICT_STRUCTURED: GoFunctions = {
  toYaml: writer(toYaml, 'fail'),
  fromYaml: reader(
    readYaml,
    (found) => {
      orFail(
        found,
        found.value === null || asObject(found.value) !== undefined
          ? undefined
          : cannotUnmarshal(found.value, MAP.name),
        explained(found),
      );
      return found.value ?? {};
    },
    MAP,
  ),
  fromYamlArray: reader(
    readYaml,
    (found) => {
      orFail(
        found,
        found.value === null || Array.isArray(found.value) ? undefined : cannotUnmarshal(found.value, LIST.name),
        explained(found),
      );
      return found.value ?? [];
    },
    LIST,
  ),
  fromJson: reader(readJson, ({ value, problem }) => (problem === undefined ? value : null), ANY),
};
