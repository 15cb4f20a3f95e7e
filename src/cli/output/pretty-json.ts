import { writeJson, type Json } from '../../model/json/index.js';

/**
 * JSON for programs that people may read too. Integers that JavaScript cannot hold keep their digits, on one line with
 * the rest.
 */
export function prettyJson(value: Json): string {
  try {
    return `${JSON.stringify(value, null, 2)}\n`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return `${writeJson(value)}\n`;
  }
}
