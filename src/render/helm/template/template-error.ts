/** A failure a thousand templates deep repeats what the one inside it says, and all of them are kept. */
const MAX_LENGTH = 100_000;

/**
 * A template that cannot be parsed or executed. The message is Go's own. `wrapped` is the error that Go's errors.Unwrap
 * would give: that of a nested template, or of a function.
 */
export class TemplateError extends Error {
  constructor(
    readonly kind: 'parse' | 'exec' | 'function' | 'budget',
    message: string,
    readonly wrapped?: TemplateError,
  ) {
    super(
      message.length > MAX_LENGTH
        ? `${message.slice(0, MAX_LENGTH / 2)} ... ${message.slice(-MAX_LENGTH / 2)}`
        : message,
    );
    this.name = 'TemplateError';
  }
}

/** What a function throws to say that it failed. */
export function functionError(message: string, wrapped?: TemplateError): TemplateError {
  return new TemplateError('function', message, wrapped);
}
