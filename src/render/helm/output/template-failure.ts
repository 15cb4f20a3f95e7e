import { Fault } from '../../../model/faults/index.js';
import { warningOf } from '../template/helm-error.js';
import { TemplateError } from '../template/template-error.js';

/** One place on the way to an error. */
interface Trace {
  readonly location: string;
  readonly executed: string;
  readonly message: string;
}

/** The fault for a template that failed, in the words of Helm. `pathOf` gives the file behind a template's name. */
export function templateFault(
  error: TemplateError,
  name: string,
  pathOf: (template: string) => string | undefined,
): Fault {
  const text = error.kind === 'parse' ? parseText(error, name) : executionText(error, name);
  const code = error.kind === 'budget' ? 'RENDER_LIMIT' : 'TEMPLATE_FAILED';
  return new Fault(code, text, { where: placeOf(error, name, pathOf), cause: error });
}

function parseText({ message }: TemplateError, name: string): string {
  const tokens = message.split(': ');
  if (tokens.length === 1) return `parse error in (${name}): ${message}`;
  return `parse error at (${tokens[1] ?? ''}): ${tokens.at(-1) ?? ''}`;
}

function executionText(error: TemplateError, name: string): string {
  if (error.kind !== 'exec') return error.message;
  const first = error.message.indexOf(': ');
  const second = first < 0 ? -1 : error.message.indexOf(': ', first + 2);
  if (second < 0) return `execution error in (${name}): ${error.message}`;
  const warning = warningOf(error.message.slice(second + 2));
  if (warning !== undefined) return `execution error at (${error.message.slice(first + 2, second)}): ${warning}`;
  return tracedText(error) ?? error.message;
}

/** One block for each template on the way; undefined where a cause is no template's. */
function tracedText(error: TemplateError): string | undefined {
  const blocks: string[] = [];
  for (let current: TemplateError | undefined = error; current !== undefined; current = current.wrapped) {
    const trace = traceOf(current.message);
    if (trace === undefined) return undefined;
    const block =
      (trace.location === '' ? '' : `${trace.location}\n  `) +
      (trace.executed === '' ? '' : `${trace.executed}\n    `) +
      (trace.message === '' ? '' : `${trace.message}\n`);
    if (blocks.at(-1) !== block) blocks.push(block);
  }
  return blocks.join('').trim();
}

function traceOf(message: string): Trace | undefined {
  if (!message.startsWith('template: ')) return undefined;
  const rest = message.slice('template: '.length);
  if (rest.startsWith('no template ')) return { location: '', executed: '', message };
  return executingTrace(rest) ?? simpleTrace(rest);
}

function executingTrace(rest: string): Trace | undefined {
  const cut = rest.indexOf(': executing ');
  if (cut < 0) return undefined;
  const found = /^"([^"]*)" at <([^]*)$/.exec(rest.slice(cut + ': executing '.length));
  const end = found?.[2]?.indexOf('>: ') ?? -1;
  if (found?.[2] === undefined || end < 0) return undefined;
  return {
    location: rest.slice(0, cut),
    executed: `executing "${found[1] ?? ''}" at <${found[2].slice(0, end)}>:`,
    message: untilTemplate(found[2].slice(end + 3)),
  };
}

function simpleTrace(rest: string): Trace | undefined {
  const cut = rest.lastIndexOf(': ');
  return cut < 0
    ? undefined
    : { location: rest.slice(0, cut), executed: '', message: untilTemplate(rest.slice(cut + 2)) };
}

function untilTemplate(message: string): string {
  const cut = message.indexOf(' template:');
  return cut < 0 ? message : message.slice(0, cut);
}

const TEMPLATE = 'template: ';

/** File, line and column of the innermost template. */
function placeOf(error: TemplateError, name: string, pathOf: (template: string) => string | undefined): string {
  let place = pathOf(name) ?? name;
  for (let current: TemplateError | undefined = error; current !== undefined; current = current.wrapped) {
    if (!current.message.startsWith(TEMPLATE)) continue;
    const said = current.message.slice(TEMPLATE.length);
    const cut = said.search(/:\d+:/);
    const path = cut < 1 ? undefined : pathOf(said.slice(0, cut));
    if (path !== undefined) place = `${path}${/^(?::\d+)+(?=:)/.exec(said.slice(cut))?.[0] ?? ''}`;
  }
  return place;
}
