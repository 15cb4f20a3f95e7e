import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitDiff, type FilePatch, type PatchSet } from '../../control/index.js';
import type { Report, ReportedCause } from '../../triage/index.js';

/** A patch as `git apply` and `git am`'s friends read it: all files of one cause. */
export function patchText({ cause, patches }: PatchSet, of: readonly FilePatch[]): string {
  const said = of.length < patches.length ? ` (${of[0]?.checkout.url ?? ''})` : '';
  return `${cause.name} [${cause.rule}] ${cause.title}${said}\n\n${of.map((patch) => gitDiff(patch)).join('')}`;
}

/**
 * Writes a patch for each cause that git can end, what to add elsewhere, and a page that says what to do in which
 * order.
 */
export function writeFixes(folder: string, report: Report, sets: readonly PatchSet[]): string[] {
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, name), text);
    written.push(name);
  };
  const names = new Map<string, string[]>();
  sets.forEach((set, index) => {
    const repositories = [...new Set(set.patches.map(({ checkout }) => checkout))];
    repositories.forEach((checkout, place) => {
      const name =
        `${String(index + 1).padStart(2, '0')}-${set.cause.name}-${set.cause.rule}` +
        `${repositories.length > 1 ? `-${place + 1}` : ''}.patch`;
      names.set(set.cause.id, [...(names.get(set.cause.id) ?? []), name]);
      write(
        name,
        patchText(
          set,
          set.patches.filter((patch) => patch.checkout === checkout),
        ),
      );
    });
  });
  for (const { fix, name, rule } of report.causes)
    if (fix?.snippet !== undefined) write(`${name}-${rule}.tf`, fix.snippet);
  write('README.md', page(report, sets, names));
  return written;
}

function page(
  { causes, time }: Report,
  sets: readonly PatchSet[],
  names: ReadonlyMap<string, readonly string[]>,
): string {
  const open = causes.filter(({ severity, fix }) => severity !== 'P3' && fix !== undefined);
  const told = open.flatMap((cause, index) => [
    `## ${index + 1}. ${cause.name} [${cause.rule}]`,
    '',
    code(cause.title),
    '',
    ...howTo(
      cause,
      sets.find((set) => set.cause.id === cause.id),
      names.get(cause.id) ?? [],
    ),
    '',
  ]);
  return [
    `# Fixes for the snapshot of ${time}`,
    '',
    'Apply them in this order. Each is verified on its own; run triage again after each.',
    '',
    ...told,
  ].join('\n');
}

/** Titles hold names of strangers: they are shown as they are. */
function code(text: string): string {
  return `    ${text}`;
}

function howTo({ fix, name, rule }: ReportedCause, set: PatchSet | undefined, names: readonly string[]): string[] {
  if (fix === undefined) return [];
  const risk = `Risk: ${fix.risk}; ${fix.reversible ? 'reversible' : 'not reversible'}.`;
  const patched =
    set === undefined || set.patches.length === 0
      ? []
      : [
          ...names.map((each) => `- \`git apply ${each}\` (${set.patches.length} files)`),
          ...set.patches.map(({ file, line }) => code(`${file}:${line}`)),
          `- Rendered before and after: ${set.rendered} applications; ${set.changed.length} fields changed ` +
            `as intended, ${set.others.length} others${set.others.length === 0 ? '' : ':'}`,
          ...set.others.slice(0, 20).map(code),
        ];
  const back =
    set?.asIn === undefined || set.patches.length === 0
      ? []
      : [`- Restores the ${set.patches.length === 1 ? 'file' : 'files'} from ${set.asIn.slice(0, 12)}; review first.`];
  const tried =
    set?.expected === undefined || set.patches.length === 0
      ? []
      : [
          '- Tried on the snapshot: the finding disappears.',
          ...(set.expected.next.length === 0 ? [] : ['- Next problem:', ...set.expected.next.slice(0, 10).map(code)]),
        ];
  const unsolved =
    set === undefined || set.unsolved.length === 0
      ? []
      : ['- Not found in these files:', ...set.unsolved.slice(0, 20).map(code)];
  const steps = (fix.steps ?? []).flatMap((step, index) => [
    `${index + 1}. ${step.say}`,
    '',
    code(step.command),
    '',
    ...(step.check === '' ? [] : ['   Verify before the next step:', '', code(step.check), '']),
  ]);
  const commands = fix.steps === undefined ? fix.commands.map(code) : [];
  return [
    risk,
    '',
    code(fix.say),
    '',
    ...patched,
    ...back,
    ...tried,
    ...unsolved,
    ...(fix.snippet === undefined ? [] : [`- Add \`${name}-${rule}.tf\` to the Terraform configuration.`]),
    '',
    ...steps,
    ...commands,
    ...(fix.verify === '' ? [] : ['', 'Verify:', '', code(fix.verify)]),
  ];
}
