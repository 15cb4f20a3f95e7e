import { type JsonObject, flagAt, own, textAt } from '../../model/json/index.js';

/** What each level fails; the runner has the same table. */
const LEVELS: Readonly<Record<string, readonly string[] | undefined>> = {
  learning: [],
  development: ['detectSilentFailures'],
  staging: ['detectSilentFailures', 'requireExplicitExitCodes', 'verifyAssertions'],
  production: [
    'failOnStderr',
    'failOnWarnings',
    'detectSilentFailures',
    'requireExplicitExitCodes',
    'checkOutputTypes',
    'verifyAssertions',
  ],
};

/** Whether a switch is on: as set, otherwise by the level, where strict mode is production. */
function isOn(validation: JsonObject, name: string): boolean {
  const written = own(validation, name);
  const level = flagAt(validation, 'strictMode') ? 'production' : textAt(validation, 'level');
  return typeof written === 'boolean' ? written : LEVELS[level]?.includes(name) === true;
}

/** Environment variables that describe the validation to the notebook. */
export function validationEnvironment(validation: JsonObject): Record<string, string> {
  return {
    VALIDATION_LEVEL: textAt(validation, 'level'),
    VALIDATION_STRICT_MODE: String(flagAt(validation, 'strictMode') ?? false),
    VALIDATION_FAIL_ON_STDERR: String(isOn(validation, 'failOnStderr')),
    VALIDATION_FAIL_ON_WARNINGS: String(isOn(validation, 'failOnWarnings')),
    VALIDATION_DETECT_SILENT_FAILURES: String(isOn(validation, 'detectSilentFailures')),
  };
}
