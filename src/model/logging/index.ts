/**
 * logging: the log of long-running processes as values and text. Takes a level, a format, a clock and a function that
 * writes; gives a Logger whose children carry the room, the application or the object that their lines are about.
 * Never writes by itself. Passwords in addresses are masked and messages cannot forge lines; whoever logs keeps every
 * other secret out.
 */
export { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './log-entry.js';
export { createLogger, NO_LOG, plainLogger, reportTo, type Logger } from './logger.js';
