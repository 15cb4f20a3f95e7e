import { isObject, own, put, type Json, type JsonObject } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import { DYN, type CelType } from '../cel/index.js';
import { compileCrd } from '../crd/index.js';
import type { Column, ResourceType } from '../resources/index.js';
import { agoColumn } from './ago-column.js';
import { compileExpression, inside, stageFault, type Place } from './expressions.js';
import { flagOf, listOf, mapOf, onlyFields, textOf } from './stage-fields.js';
import { compileTemplate } from './templates.js';
import type { View } from './view.js';

const VIEW_FIELDS = ['follows', 'of', 'serve', 'each', 'object', 'columns', 'schema'];
const SERVE_FIELDS = ['group', 'version', 'kind', 'plural', 'singular', 'shortNames', 'categories', 'clusterWide'];
const VERBS = ['get', 'list', 'watch'];

/** Reads the views of one file, a document each. */
export function readViews(text: string, file: string): View[] {
  return readYaml(text, { dialect: 'kubernetes', file, duplicates: 'error' }).flatMap(({ value }) =>
    value === null ? [] : [readView(value, file)],
  );
}

function readView(raw: Json, file: string): View {
  const place: Place = { file, stage: '', field: '' };
  const map = mapOf(raw, place);
  onlyFields(map, VIEW_FIELDS, place);
  textOf(map.follows, inside(place, 'follows'));
  const of = mapOf(map.of, inside(place, 'of'));
  onlyFields(of, ['group', 'kind'], inside(place, 'of'));
  const source = {
    group: textOf(of.group ?? '', inside(place, 'of.group'), true),
    kind: textOf(of.kind, inside(place, 'of.kind')),
  };
  const object = mapOf(map.object, inside(place, 'object'));
  textOf(mapOf(object.metadata, inside(place, 'object.metadata'))['name'], inside(place, 'object.metadata.name'));
  return {
    file,
    of: source,
    type: servedType(map, source.kind, place),
    each: compileExpression(textOf(map.each, inside(place, 'each')), names('self'), inside(place, 'each')),
    object: compileTemplate(object, names('self', 'item'), inside(place, 'object')),
  };
}

const names = (...list: readonly string[]): ReadonlyMap<string, CelType> => new Map(list.map((name) => [name, DYN]));

/** As a CRD would be served, but for reading only and with names of any shape. */
function servedType(map: JsonObject, source: string, place: Place): ResourceType {
  const serve = mapOf(map.serve, inside(place, 'serve'));
  onlyFields(serve, SERVE_FIELDS, inside(place, 'serve'));
  const field = (name: string): string => textOf(own(serve, name), inside(place, `serve.${name}`));
  const [group, version, kind, plural] = [field('group'), field('version'), field('kind'), field('plural')];
  const columns = map.columns === undefined ? [] : listOf(map.columns, inside(place, 'columns')).filter(isObject);
  const [type] = compileCrd({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: flagOf(serve.clusterWide, inside(place, 'serve.clusterWide')) ? 'Cluster' : 'Namespaced',
      names: {
        kind,
        plural,
        listKind: `${kind}List`,
        singular: serve.singular ?? kind.toLowerCase(),
        shortNames: serve.shortNames ?? [],
        categories: serve.categories ?? [],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: openSchema(map, place) },
          additionalPrinterColumns: columns,
        },
      ],
    },
  });
  if (type === undefined) throw stageFault(inside(place, 'serve'), 'nothing would be served');
  return {
    ...type,
    verbs: VERBS,
    columns: type.columns.map((column, index) => withAge(column, columns[index - 1])),
    readOnly: `${plural}.${group} shows what ${source} objects say and cannot be written; change the ${source} instead`,
    strategy: { ...type.strategy, nameRule: 'path' },
  };
}

function openSchema(map: JsonObject, place: Place): JsonObject {
  const schema: JsonObject = {
    ...(map.schema === undefined
      ? { 'x-kubernetes-preserve-unknown-fields': true }
      : mapOf(map.schema, inside(place, 'schema'))),
  };
  put(schema, 'type', 'object');
  return schema;
}

/** A column of type `ago` prints the age of a time; the others are those of a CRD. */
function withAge(column: Column, written: JsonObject | undefined): Column {
  return written?.type === 'ago' && typeof written.jsonPath === 'string' ? agoColumn(column, written.jsonPath) : column;
}
