import { quoteGo } from '../../../model/go/index.js';
import { toYaml } from '../functions/serialization/yaml-writer.js';
import { ANY, MAP, namedType, STRING, type GoMethod, type GoType } from '../template/value/go-type.js';
import { functionError } from '../template/template-error.js';
import { GoMap, type GoObject, type GoValue } from '../template/value/go-value.js';
import { leafAt, tableAt } from '../values/table.js';

function entriesOf(receiver: GoValue): GoObject {
  return receiver instanceof GoMap ? receiver.entries : {};
}

const methods = new Map<string, GoMethod>([
  ['AsMap', { parameters: [], result: MAP, call: (receiver) => entriesOf(receiver) }],
  ['YAML', { parameters: [], result: STRING, call: (receiver) => `${toYaml(entriesOf(receiver))}\n` }],
  [
    'PathValue',
    {
      parameters: [STRING],
      result: ANY,
      call(receiver, [path = null]) {
        const names = typeof path === 'string' ? path.split('.') : [];
        if (path === '') throw functionError('YAML path cannot be empty');
        const value = leafAt(entriesOf(receiver), names);
        if (value === undefined) throw functionError(`${quoteGo(names.at(-1) ?? '')} is not a value`);
        return value;
      },
    },
  ],
]);

/** Helm's own name for a map of values; `.Values` and `.Template` have this type. */
const VALUES: GoType = namedType('common.Values', MAP, methods);
methods.set('Table', {
  parameters: [STRING],
  result: VALUES,
  call(receiver, [path = null]) {
    const names = typeof path === 'string' ? path.split('.') : [];
    const table = tableAt(entriesOf(receiver), names);
    if (table === undefined) throw functionError(`${quoteGo(names.at(-1) ?? '')} is not a table`);
    return new GoMap(VALUES, table);
  },
});

export function asValues(entries: GoObject): GoMap {
  return new GoMap(VALUES, entries);
}
