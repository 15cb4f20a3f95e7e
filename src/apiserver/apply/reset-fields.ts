import { FieldSet, fieldElement } from '../../model/kubernetes/index.js';

function fields(...paths: readonly string[]): FieldSet {
  return FieldSet.of(...paths.map((path) => path.split('.').map(fieldElement)));
}

const STATUS = fields('status');
const SPEC = fields('spec');
const SPEC_AND_METADATA = fields('spec', 'metadata');

/** Endpoints that set back more, or less, than the rule below says; by `group/Kind` and, after a colon, subresource. */
const EXCEPTIONS: ReadonlyMap<string, FieldSet | undefined> = new Map([
  ['/Pod:status', fields('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences')],
  ['/Namespace:finalize', STATUS],
  ['apps/Deployment:status', fields('spec', 'metadata.labels')],
  ['apiextensions.k8s.io/CustomResourceDefinition:status', SPEC_AND_METADATA],
  ['apiregistration.k8s.io/APIService:status', SPEC_AND_METADATA],
  ['certificates.k8s.io/CertificateSigningRequest:', fields('spec', 'status')],
  ['certificates.k8s.io/CertificateSigningRequest:status', fields('spec', 'status.conditions')],
  ['certificates.k8s.io/CertificateSigningRequest:approval', fields('spec', 'status.certificate')],
  ['flowcontrol.apiserver.k8s.io/FlowSchema:status', SPEC_AND_METADATA],
  ['flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration:status', SPEC_AND_METADATA],
  ['networking.k8s.io/ServiceCIDR:', undefined],
  ['networking.k8s.io/ServiceCIDR:status', undefined],
  ['storage.k8s.io/VolumeAttachment:status', SPEC_AND_METADATA],
]);

/**
 * What a write through an endpoint sets back to what it was, so that nobody owns it through there: status for the
 * object itself (of a custom resource only if it has the status endpoint), spec for `status`.
 */
export function resetFieldsOf({
  group,
  kind,
  subresource,
  hasStatus,
}: {
  readonly group: string;
  readonly kind: string;
  readonly subresource: string;
  readonly hasStatus: boolean;
}): FieldSet | undefined {
  const key = `${group}/${kind}:${subresource}`;
  if (EXCEPTIONS.has(key)) return EXCEPTIONS.get(key);
  if (subresource === 'status') return SPEC;
  return subresource === '' && hasStatus ? STATUS : undefined;
}
