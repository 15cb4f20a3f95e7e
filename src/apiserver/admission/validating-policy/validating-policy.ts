import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ApiError, forbidden } from '../../errors/index.js';
import { items, maybe, sub, text, texts } from '../../resources/index.js';
import { resourceOf, type RestContext, type AdmissionRequest, type AdmissionPlugin } from '../../rest/index.js';
import type { HeadLister } from '../head-lister.js';
import { NamespacePresence } from '../namespace-presence.js';
import { ExpressionError, Expressions } from './expressions.js';
import { inputsOf } from './inputs.js';
import { isMatched, type Matching } from './match.js';
import { ConfigurationError, paramsFor } from './params.js';

const GROUP = 'admissionregistration.k8s.io';
const MAX_MESSAGE_BYTES = 5 * 1024;
const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

interface Denial {
  readonly message: string;
  readonly reason: string;
}

/** ValidatingAdmissionPolicies and their bindings: rules in CEL over every write. */
export function validatingAdmissionPolicy(context: RestContext, newest: HeadLister): AdmissionPlugin {
  const bindings = new NamespacePresence(context, GROUP, 'validatingadmissionpolicybindings');
  return {
    name: 'ValidatingAdmissionPolicy',
    validate(request) {
      // Policies cannot lock themselves away.
      if (!bindings.has('') || request.type.group === GROUP) return;
      const denials = denialsOf(
        { context, newest },
        request,
        newest.list([GROUP, 'validatingadmissionpolicybindings']),
      );
      const first = denials[0];
      if (first) throw denied(request, first);
    },
  };
}

interface PolicyContext {
  readonly context: RestContext;
  readonly newest: HeadLister;
}

function denialsOf(
  { context: { types }, newest }: PolicyContext,
  request: AdmissionRequest,
  bindings: readonly KubeObject[],
): Denial[] {
  const isNamespace = request.type.group === '' && request.type.plural === 'namespaces';
  const namespace =
    request.namespace === '' || isNamespace ? undefined : newest.get(['', 'namespaces'], '', request.namespace);
  const matching: Matching = { request, types, namespace };
  return bindings.flatMap((binding) => {
    const policy = newest.get([GROUP, 'validatingadmissionpolicies'], '', text(maybe(binding, 'spec'), 'policyName'));
    if (
      !policy ||
      !isMatched(maybe(policy, 'spec.matchConstraints'), matching) ||
      !isMatched(maybe(binding, 'spec.matchResources'), matching)
    )
      return [];
    const [name, bindingName] = [policy.metadata.name ?? '', binding.metadata.name ?? ''];
    const title = `ValidatingAdmissionPolicy '${name}' with binding '${bindingName}'`;
    return decide(policy, binding, matching, { newest, types }, title);
  });
}

function decide(
  policy: KubeObject,
  binding: KubeObject,
  { request, namespace }: Matching,
  where: Parameters<typeof paramsFor>[3],
  title: string,
): Denial[] {
  const spec = sub(policy, 'spec');
  const fails = text(spec, 'failurePolicy') !== 'Ignore';
  try {
    const place = request.type.namespaced ? request.namespace : '';
    const failures = paramsFor(policy, binding, place, where).flatMap((params) =>
      evaluate(spec, new Expressions(spec, inputsOf(request, namespace, params)), fails),
    );
    return report(request, failures, texts(maybe(binding, 'spec'), 'validationActions'), title);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return fails
      ? [{ message: `${title} denied request: failed to configure binding: ${error.message}`, reason: 'Invalid' }]
      : [];
  }
}

function report(
  request: AdmissionRequest,
  failures: readonly Denial[],
  actions: readonly string[],
  title: string,
): Denial[] {
  if (actions.includes('Warn'))
    for (const { message } of failures) request.warn(`Validation failed for ${title}: ${message}`);
  return actions.includes('Deny')
    ? failures.map(({ message, reason }) => ({ message: `${title} denied request: ${message}`, reason }))
    : [];
}

/** Every validation that does not hold. */
function evaluate(spec: JsonObject, expressions: Expressions, fails: boolean): Denial[] {
  const failed = (error: unknown): Denial[] => {
    if (!(error instanceof ExpressionError)) throw error;
    return fails ? [{ message: error.message, reason: 'Invalid' }] : [];
  };
  try {
    if (!meetsConditions(spec, expressions)) return [];
  } catch (error) {
    return failed(error);
  }
  return items(spec, 'validations').flatMap((validation) => {
    try {
      if (expressions.evaluate(text(validation, 'expression')) === true) return [];
    } catch (error) {
      return failed(error);
    }
    return [{ message: messageOf(validation, expressions), reason: text(validation, 'reason') || 'Invalid' }];
  });
}

/** One condition that is false decides, even where another one cannot be evaluated. */
function meetsConditions(spec: JsonObject, expressions: Expressions): boolean {
  let failure: ExpressionError | undefined;
  for (const condition of items(spec, 'matchConditions')) {
    try {
      if (expressions.evaluate(text(condition, 'expression')) !== true) return false;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return true;
}

function messageOf(validation: JsonObject, expressions: Expressions): string {
  const own = text(validation, 'message').trim() || `failed expression: ${text(validation, 'expression').trim()}`;
  const expression = text(validation, 'messageExpression');
  if (expression === '') return own;
  try {
    const value = expressions.evaluate(expression);
    const message = typeof value === 'string' ? value.trim() : '';
    return message === '' || message.includes('\n') || Buffer.byteLength(message) > MAX_MESSAGE_BYTES ? own : message;
  } catch (error) {
    // A failed message expression must not lose the decision.
    if (error instanceof ExpressionError) return own;
    throw error;
  }
}

function denied({ type, name }: AdmissionRequest, { message, reason }: Denial): ApiError {
  const plain = forbidden(resourceOf(type), name, message);
  return new ApiError(CODES[reason] ?? 422, reason, plain.message, { ...plain.details, causes: [{ message }] });
}
