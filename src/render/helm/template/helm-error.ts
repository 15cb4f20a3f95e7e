import type { TemplateError } from './template-error.js';

/** Errors of templates as `helm template` words them. */

/** A text that does not parse: `parse error at (chart/templates/x.yaml:3): ...`. */
export function helmParseError(file: string, error: TemplateError): string {
  const tokens = error.message.split(': ');
  const last = tokens.at(-1) ?? '';
  return tokens.length === 1
    ? `parse error in (${file}): ${error.message}`
    : `parse error at (${tokens[1] ?? ''}): ${last}`;
}

const [START, END] = ['HELM_ERR_START', 'HELM_ERR_END'];

/** What `fail` and `required` put between their marks. */
export function warningOf(message: string): string | undefined {
  const [start, end] = [message.indexOf(START), message.lastIndexOf(END)];
  return start < 0 || end < start + START.length ? undefined : message.slice(start + START.length, end);
}

/**
 * A template that fails: the places it went through, one below the other, or only the message of `fail` and `required`.
 */
export function helmExecError(file: string, error: TemplateError): string {
  const chain = chainOf(error);
  if (!chain.some(({ kind }) => kind === 'exec')) return error.message;
  const second = error.message.indexOf(': ', error.message.indexOf(': ') + 2);
  if (second < 0) return `execution error in (${file}): ${error.message}`;
  const location = error.message.slice(error.message.indexOf(': ') + 2, second);
  const warning = warningOf(error.message.slice(second + 2));
  if (warning !== undefined) return `execution error at (${location}): ${warning}`;
  const places: string[] = [];
  for (const { message } of chain) {
    const place = placeOf(message);
    if (place === undefined) return error.message;
    if (places.at(-1) !== place) places.push(place);
  }
  return places.join('').trim();
}

function chainOf(error: TemplateError): TemplateError[] {
  const chain: TemplateError[] = [];
  for (let at: TemplateError | undefined = error; at !== undefined; at = at.wrapped) chain.push(at);
  return chain;
}

/** One error of the chain in lines; undefined if it is not one of text/template's. */
function placeOf(message: string): string | undefined {
  if (!message.startsWith('template: ')) return undefined;
  const rest = message.slice('template: '.length);
  if (rest.startsWith('no template ')) return `${message}\n`;
  return executingAt(rest) ?? simple(rest);
}

function executingAt(rest: string): string | undefined {
  const at = rest.indexOf(': executing ');
  const match = at < 0 ? null : /^"([^"]*)" at <([^]*?)>: ([^]*)$/.exec(rest.slice(at + ': executing '.length));
  if (match === null) return undefined;
  const [, name = '', node = '', text = ''] = match;
  return lines(rest.slice(0, at), `executing "${name}" at <${node}>:`, withoutNext(text));
}

function simple(rest: string): string | undefined {
  const at = rest.lastIndexOf(': ');
  return at < 0 ? undefined : lines(rest.slice(0, at), '', withoutNext(rest.slice(at + 2)));
}

/** The next error of the chain comes by itself. */
function withoutNext(text: string): string {
  const at = text.indexOf(' template:');
  return at < 0 ? text : text.slice(0, at);
}

function lines(location: string, executing: string, message: string): string {
  return [
    location === '' ? '' : `${location}\n  `,
    executing === '' ? '' : `${executing}\n    `,
    message === '' ? '' : `${message}\n`,
  ].join('');
}
