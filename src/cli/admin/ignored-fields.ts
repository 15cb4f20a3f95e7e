import { compileRules, unifiedDiff } from '../../diff/index.js';
import { equal } from '../../model/json/index.js';
import { gvkOf } from '../../model/kubernetes/index.js';
import { matchesGlob } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { IgnoreRule } from '../../model/argo/index.js';
import type { CliHost } from '../host/index.js';
import { quotedKind, openOverride, settingsOf, type SettingsFlags } from './settings.js';

/** Which of the two settings is tried. */
export type IgnoreSetting = 'ignoreDifferences' | 'ignoreResourceUpdates';

const TITLES: Readonly<Record<IgnoreSetting, string>> = {
  ignoreDifferences: 'Ignore differences',
  ignoreResourceUpdates: 'Ignore resource updates',
};

/**
 * The fields of an object that a setting of argocd-cm leaves out. Managers of fields are not looked at: a file does not
 * tell them.
 */
export async function ignoredFields(
  setting: IgnoreSetting,
  file: string,
  flags: SettingsFlags,
  host: CliHost,
): Promise<string> {
  const { object, data } = await openOverride(file, flags, host);
  const { group, kind } = gvkOf(object);
  const rules = (settingsOf(data)[setting] ?? []).filter(
    (rule) =>
      matchesGlob(rule.group, group) &&
      matchesGlob(rule.kind, kind) &&
      rule.jsonPointers.length + rule.jqPathExpressions.length > 0,
  );
  if (rules.length === 0) return `${TITLES[setting]} are not configured for ${quotedKind(object)}\n`;
  const compiled = compileRules({ systemIgnoreDifferences: rules });
  const kept = compiled.strip(object, compiled.for(object));
  const problems = compiled.problems
    .map(({ where, expression, message }) => `${where}: ${expression}: ${message}\n`)
    .join('');
  if (equal(kept, object))
    return `${problems}No fields are ignored by ${setting} settings: \n${rules.map(ruleText).join('')}`;
  return `${problems}Following fields are ignored:\n\n${unifiedDiff(writeYaml(kept), writeYaml(object))}\n`;
}

function ruleText({ jsonPointers, jqPathExpressions }: IgnoreRule): string {
  return [...jsonPointers, ...jqPathExpressions].map((each) => `${each}\n`).join('');
}
