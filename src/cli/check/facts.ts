import type { ChecklistInput } from '../../plan/index.js';

/** What was found out about an application, before anybody judges it. */
export type Facts = Omit<ChecklistInput, 'policy' | 'isProduction'>;
