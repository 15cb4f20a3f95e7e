/** Something is wrong with a stage, found while it ran: an expression without a result, a kind that is not served. */
export class StageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StageProblem';
  }

  inStage(name: string): StageError {
    return new StageError(`stage ${JSON.stringify(name)}: ${this.message}`);
  }
}
