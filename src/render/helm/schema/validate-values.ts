import { Fault } from '../../../model/faults/index.js';
import { parseJson } from '../../../model/json/index.js';
import { BoundedCache } from '../../common/index.js';
import type { ActiveChart } from '../chart/active-chart.js';
import type { ChartFile } from '../chart/chart-file.js';
import { entryOf, typeName, type GoObject } from '../template/value/go-value.js';
import { isTable } from '../values/table.js';
import { compileSchema } from './compile-schema.js';
import { formatValidationErrors } from './validation-error.js';
import { SchemaError, type Schema } from './schema.js';
import { BudgetError, validate } from './validate.js';

const cache = new BoundedCache<Schema>(16 * 1024 * 1024);

/**
 * Holds the values against values.schema.json of the chart and each of its subcharts; one fault tells all that is
 * wrong.
 */
export function validateValues(chart: ActiveChart, values: GoObject): void {
  const text = validationErrorsOf(chart, values);
  if (text === '') return;
  throw new Fault(
    'VALUES_INVALID',
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${text}`,
    { where: chart.chart.schema?.path ?? chart.chart.file.path },
  );
}

function validationErrorsOf(chart: ActiveChart, values: GoObject): string {
  const { schema } = chart.chart;
  const own = schema === undefined ? undefined : validationErrorOf(schema, values);
  let text = own === undefined ? '' : `${chart.name}:\n${own}`;
  for (const subchart of chart.dependencies) {
    const below = entryOf(values, subchart.name) ?? null;
    if (isTable(below)) text += validationErrorsOf(subchart, below);
    else if (below !== null)
      text += `${subchart.name}:\ninvalid type for values: expected object (map), got ${typeName(below)}\n`;
  }
  return text;
}

function validationErrorOf(file: ChartFile, values: GoObject): string | undefined {
  try {
    const schema = cache.get(
      file.id,
      () => compileSchema(parseJson(new TextDecoder().decode(file.bytes))),
      () => file.bytes.length * 8,
    );
    const problems = validate(schema, values);
    return problems.length === 0 ? undefined : `${formatValidationErrors(problems).join('\n')}\n`;
  } catch (error) {
    if (error instanceof SchemaError) return error.message;
    if (error instanceof Fault) return `${error.message} (${file.path}:${error.where})`;
    if (error instanceof BudgetError || error instanceof RangeError) {
      throw new Fault('RENDER_LIMIT', 'values.schema.json asks for more work than a schema may', {
        where: file.path,
        cause: error,
      });
    }
    throw error;
  }
}
