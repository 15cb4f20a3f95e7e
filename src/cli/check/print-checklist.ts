import { acceptedDeviations, DEVIATIONS, idOf, qualifiedName } from '../../model/argo/index.js';
import { parseJson } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { countLines, type ChecklistLine, type LineState } from '../../plan/index.js';
import { causeFacts, printCauses, type CausesByName } from '../causes/index.js';
import { prettyJson, formatTable } from '../output/index.js';

export interface CheckedLines {
  readonly application: KubeObject;
  readonly lines: readonly ChecklistLine[];
}

/** Whether nothing fails; strictly, whether everything holds or is accepted. */
export function isGood(checked: readonly CheckedLines[], isStrict: boolean): boolean {
  const { fails, advised, unchecked } = countLines(checked.flatMap(({ lines }) => lines));
  return fails === 0 && (!isStrict || advised + unchecked === 0);
}

/** What is printed beside the lines. */
export interface BesideLines {
  readonly notes: readonly string[];
  /** Of applications of a cluster that are not well; undefined for files. */
  readonly causes: CausesByName | undefined;
}

export function printChecklist(checked: readonly CheckedLines[], beside: BesideLines, output: 'text' | 'json'): string {
  return output === 'json' ? asJson(checked, beside) : asText(checked, beside);
}

function asJson(checked: readonly CheckedLines[], { notes, causes }: BesideLines): string {
  const applications = checked.map(({ application, lines }) => ({
    name: application.metadata.name ?? '',
    namespace: application.metadata.namespace ?? '',
    lines,
    ...(causes === undefined ? {} : { causes: (causes.get(qualifiedName(idOf(application))) ?? []).map(causeFacts) }),
  }));
  const summary = {
    applications: checked.length,
    ...countLines(checked.flatMap(({ lines }) => lines)),
    accepts: acceptances(checked),
  };
  return prettyJson(parseJson(JSON.stringify({ applications, notes, summary })));
}

/** Applications by the deviation that they show and accept. */
function acceptances(checked: readonly CheckedLines[]): Record<string, number> {
  return Object.fromEntries(
    DEVIATIONS.map((deviation) => [
      deviation,
      checked.filter(({ application }) => acceptedDeviations(application).includes(deviation)).length,
    ]),
  );
}

const STATE_LABELS: Readonly<Record<LineState, string>> = {
  holds: 'PASS',
  fails: 'FAIL',
  accepted: 'accepted',
  advised: 'advice',
  unchecked: 'not checked',
};

function asText(checked: readonly CheckedLines[], { notes, causes }: BesideLines): string {
  const told = causes === undefined ? '' : printCauses(causes);
  const rows = checked.flatMap((each) =>
    checked.length === 1 ? each.lines.map((line) => row(each.application, line.rule, line)) : fewRows(each),
  );
  const blocks = reportedLines(checked).map(({ application, line, others }) => block(application, line, others));
  return [
    formatTable(['APPLICATION', 'CHECK', 'STATE', 'MESSAGE'], rows),
    ...blocks,
    told === '' ? '' : `\n${told}`,
    ...notes.map((note) => `\nnote: ${note}\n`),
    `\n${summary(checked)}\n`,
  ].join('');
}

interface ReportedLine {
  readonly application: KubeObject;
  readonly line: ChecklistLine;
  /** Applications that have the same line: a project is told about once. */
  others: number;
}

function reportedLines(checked: readonly CheckedLines[]): ReportedLine[] {
  const found = new Map<string, ReportedLine>();
  for (const { application, lines } of checked) {
    for (const line of lines.filter(({ state }) => state === 'fails' || state === 'advised')) {
      const same = [line.rule, line.object, line.field, line.message, line.where].join('\n');
      const first = found.get(same);
      if (first === undefined) found.set(same, { application, line, others: 0 });
      else if (first.application !== application) first.others++;
    }
  }
  return [...found.values()];
}

function row(
  application: KubeObject,
  rules: string,
  { state, message }: Pick<ChecklistLine, 'state' | 'message'>,
): string[] {
  return [applicationName(application), rules, STATE_LABELS[state], oneLine(message)];
}

/** Of many applications only what does not hold is worth a row each; rules with the same to say share one. */
function fewRows({ application, lines }: CheckedLines): string[][] {
  const holding = lines.filter(({ state }) => state === 'holds').length;
  const others = new Map<string, ChecklistLine[]>();
  for (const line of lines.filter(({ state }) => state !== 'holds')) {
    const same = `${line.state}\n${line.message}`;
    others.set(same, [...(others.get(same) ?? []), line]);
  }
  return [
    row(application, `${holding} ${holding === 1 ? 'check' : 'checks'}`, { state: 'holds', message: '' }),
    ...[...others.values()].map((group) =>
      row(
        application,
        [...new Set(group.map(({ rule }) => rule))].join(', '),
        group[0] ?? { state: 'holds', message: '' },
      ),
    ),
  ];
}

/** Everything about one line: which object and field, where, what to do, and the text to add. */
function block(
  application: KubeObject,
  { rule, state, object, field, where, message, remedy, add }: ChecklistLine,
  others: number,
): string {
  const parts: readonly (readonly [string, string])[] = [
    ['object', object],
    ['field', field],
    ['at', where],
    ['why', oneLine(message)],
    ['fix', remedy],
  ];
  const lines = parts.filter(([, text]) => text !== '').map(([label, text]) => `  ${`${label}:`.padEnd(8)}${text}\n`);
  const added =
    add === ''
      ? ''
      : `  add:\n${add
          .trimEnd()
          .split('\n')
          .map((line) => `    ${line}`)
          .join('\n')}\n`;
  return (
    `\n${applicationName(application)}${others === 0 ? '' : ` and ${others} more`}: ${rule} (` +
    `${STATE_LABELS[state]})\n` +
    `${lines.join('')}${added}`
  );
}

function summary(checked: readonly CheckedLines[]): string {
  const { holds, fails, accepted, advised, unchecked } = countLines(checked.flatMap(({ lines }) => lines));
  const named = Object.entries(acceptances(checked))
    .filter(([, count]) => count > 0)
    .map(([deviation, count]) => `${count} ${deviation}`);
  const of = accepted === 0 || named.length === 0 ? '' : ` (${named.join(', ')})`;
  return (
    `${checked.length} ${checked.length === 1 ? 'application' : 'applications'}: ${holds} pass, ${fails} ` +
    `fail, ${accepted} accepted${of}, ${advised} advice, ${unchecked} not checked`
  );
}

function applicationName({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
