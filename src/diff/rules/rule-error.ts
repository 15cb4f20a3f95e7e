/** A rule that does not work, so that its application can say so: it is skipped. */
export interface RuleError {
  /** Where the rule stands, such as `spec.ignoreDifferences[0]`. */
  readonly where: string;
  readonly expression: string;
  readonly message: string;
}
