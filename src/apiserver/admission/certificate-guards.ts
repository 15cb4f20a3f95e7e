import { equal, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { AccessControl } from '../access/index.js';
import { ensure, sub, text } from '../resources/index.js';
import type { AdmissionRequest, AdmissionPlugin } from '../rest/index.js';
import { isAbout } from './head-lister.js';
import { admissionForbidden } from './admission-forbidden.js';

const GROUP = 'certificates.k8s.io';
const PLURAL = 'certificatesigningrequests';

/** A certificate request says who made it, whatever it claims itself. */
export const certificateRequestor: AdmissionPlugin = {
  name: 'CertificateRequestor',
  prepare(request) {
    if (request.operation !== 'CREATE' || !request.object || !isAbout(request, GROUP, PLURAL)) return;
    const { name, uid, groups, extra } = request.user;
    const spec = ensure(request.object, 'spec');
    spec.username = name;
    spec.uid = uid;
    spec.groups = [...groups];
    spec.extra = extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  },
};

/** Who approves or signs a certificate request needs that right for its signer. */
export function certificateGuards(gate: AccessControl): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate(request) {
      if (request.operation !== 'UPDATE' || request.type.group !== GROUP || !request.object || !request.old) return;
      if (isAbout(request, GROUP, PLURAL, 'approval')) return check(gate, request, request.old, 'approve');
      if (isAbout(request, GROUP, PLURAL, 'status') && isSigned(request.object, request.old))
        check(gate, request, request.old, 'sign');
    },
  };
}

function isSigned(object: KubeObject, old: KubeObject): boolean {
  return ['certificate', 'conditions'].some(
    (field) => !equal(own(sub(object, 'status'), field), own(sub(old, 'status'), field)),
  );
}

function check(gate: AccessControl, request: AdmissionRequest, old: KubeObject, verb: 'approve' | 'sign'): void {
  const signer = text(sub(old, 'spec'), 'signerName');
  const names = [signer, `${signer.split('/')[0] ?? ''}/*`];
  const may = (name: string): boolean =>
    gate.authorize(request.user, {
      verb,
      group: GROUP,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    }).allowed;
  if (!names.some(may))
    throw admissionForbidden(
      request,
      `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`,
    );
}
