import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/json/index.js';
import { ApiError } from '../errors/api-error.js';
import { checkBodyKind, type BodyTarget } from './body-kind.js';

const POD: BodyTarget = { group: '', version: 'v1', kind: 'Pod', custom: false };
const DEPLOYMENT: BodyTarget = { group: 'apps', version: 'v1', kind: 'Deployment', custom: false };
const SCALER: BodyTarget = { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler', custom: false };
const EVENT: BodyTarget = { group: 'events.k8s.io', version: 'v1', kind: 'Event', custom: false };
const CRD: BodyTarget = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  custom: false,
};
const WIDGET: BodyTarget = { group: 'zoo.example.com', version: 'v1', kind: 'Widget', custom: true };

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What a kube-apiserver 1.34.4 answers to these bodies. */
const REFUSED: readonly (readonly [BodyTarget, string, string])[] = [
  [
    DEPLOYMENT,
    '{"kind":5}',
    `the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json ` +
      `parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})`,
  ],
  [
    DEPLOYMENT,
    '[]',
    `the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json ` +
      `parse error: json: cannot unmarshal array into Go value of type ${STRUCT} (5b5d)`,
  ],
  [
    DEPLOYMENT,
    '{"apiVersion":5,"kind":"Deployment"}',
    `the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json ` +
      `parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ` +
      `({"apiVersion":5,"kind":"Deploy ...)`,
  ],
  [
    DEPLOYMENT,
    '{"apiVersion":"a/b/c","kind":"Deployment"}',
    'the object provided is unrecognized (must be of type Deployment): unexpected GroupVersion string: ' +
      'a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
  ],
  [
    DEPLOYMENT,
    '{"apiVersion":"v1","kind":"Pod"}',
    'Pod in version "v1" cannot be handled as a Deployment: converting (v1.Pod) to (apps.Deployment): ' +
      'unknown conversion',
  ],
  [
    DEPLOYMENT,
    '{"apiVersion":"apps/v1","kind":"Pod"}',
    'Pod in version "v1" cannot be handled as a Deployment: no kind "Pod" is registered for version ' +
      '"apps/v1" in scheme "pkg/runtime/scheme.go:110"',
  ],
  [
    DEPLOYMENT,
    '{"apiVersion":"apps/v2","kind":"Deployment"}',
    'Deployment in version "v2" cannot be handled as a Deployment: no kind "Deployment" is registered for ' +
      'version "apps/v2" in scheme "pkg/runtime/scheme.go:110"',
  ],
  [
    DEPLOYMENT,
    '{"Kind":"Pod"}',
    'Pod in version "v1" cannot be handled as a Deployment: no kind "Pod" is registered for version ' +
      '"apps/v1" in scheme "pkg/runtime/scheme.go:110"',
  ],
  [
    POD,
    '{"apiVersion":"apps/","kind":"Pod"}',
    `Pod in version "" cannot be handled as a Pod: Object 'apiVersion' is missing in ` +
      `'{"apiVersion":"apps/","kind":"Pod"}'`,
  ],
  [
    POD,
    '{"apiVersion":"apps","kind":"Pod"}',
    'Pod in version "apps" cannot be handled as a Pod: no kind "Pod" is registered for version "apps" in ' +
      'scheme "pkg/runtime/scheme.go:110"',
  ],
  [
    POD,
    '{"apiVersion":"v1","kind":"Status"}',
    'Status in version "v1" cannot be handled as a Pod: converting (v1.Status) to (core.Pod): unknown conversion',
  ],
  [
    POD,
    '{"apiVersion":"meta.k8s.io/v1","kind":"Status"}',
    'Status in version "v1" cannot be handled as a Pod: converting (v1.Status) to (core.Pod): unknown conversion',
  ],
  [
    SCALER,
    '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}',
    'the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)',
  ],
  [
    EVENT,
    '{"apiVersion":"v1","kind":"Pod"}',
    'Pod in version "v1" cannot be handled as a Event: converting (v1.Pod) to (core.Event): unknown conversion',
  ],
  [
    CRD,
    '{"apiVersion":"v1","kind":"Pod"}',
    'Pod in version "v1" cannot be handled as a CustomResourceDefinition: no kind "Pod" is registered for ' +
      'version "v1" in scheme "pkg/runtime/scheme.go:110"',
  ],
  [
    WIDGET,
    '{"apiVersion":"v1","kind":"Pod"}',
    'the API version in the data (v1) does not match the expected API version (zoo.example.com/v1)',
  ],
  [
    WIDGET,
    '{"kind":"Widget"}',
    'the API version in the data () does not match the expected API version (zoo.example.com/v1)',
  ],
  [
    WIDGET,
    '{"metadata":{"name":"a"}}',
    `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in ` +
      `'{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})`,
  ],
  [
    WIDGET,
    '{"apiVersion":"zoo.example.com/v1","kind":"Pod","metadata":{"name":"a"}}',
    'Pod.zoo.example.com "a" is invalid: kind: Invalid value: "Pod": must be Widget',
  ],
];

describe('a body of another kind is rejected with the message of kube-apiserver', () => {
  for (const [target, text, message] of REFUSED) {
    it(`${target.kind} <- ${text}`, () => {
      expect(() => checkBodyKind(parseJson(text), text, target)).toThrow(
        expect.objectContaining({ message }) as ApiError,
      );
    });
  }

  for (const text of [
    '{}',
    'null',
    '{"kind":null}',
    '{"apiVersion":"","kind":"Deployment"}',
    '{"apiVersion":"apps/v1"}',
    '{"apiVersion":"apps/"}',
  ]) {
    it(`takes ${text} for the resource it is sent to`, () => {
      checkBodyKind(parseJson(text), text, DEPLOYMENT);
    });
  }
});
