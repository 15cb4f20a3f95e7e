import type { Injector } from '../injection/injector.js';
import { NAMESPACE } from '../injection/names.js';
import { app, applicationRef, configMapRef } from '../injection/object-refs.js';
import { condition } from './shapes.js';

const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' };

/** What the Applications and settings themselves say, beside git. */
export const MORE_ARGO_CD: readonly Injector[] = [
  {
    name: 'cluster-that-nobody-knows',
    because: 'an application goes to a cluster whose name nobody knows',
    inject(scene) {
      const name = scene.service();
      const object = scene.application(app(name), {
        spec: { destination: { server: null, name: 'west-two', namespace: NAMESPACE } },
      });
      return {
        roots: [{ object, field: 'spec.destination.name', value: 'west-two' }],
        applications: [app(name)],
        signs: [{ object, shows: condition('InvalidSpecError', 'west-two') }],
      };
    },
  },
  {
    name: 'application-that-cannot-be-deleted',
    because: 'an application was deleted, and one of its objects has the finalizer of a controller that is gone',
    inject(scene) {
      const name = scene.service();
      const object = configMapRef(`${name}-rules`);
      scene.patch(object, { metadata: { finalizers: ['rules.example.com/archive'] } });
      scene.application(app(name), { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } });
      scene.play(20);
      scene.remove(applicationRef(app(name)));
      return {
        roots: [
          {
            object,
            field: 'metadata.finalizers[0]',
            value: 'rules.example.com/archive',
            also: [applicationRef(app(name))],
          },
        ],
        applications: [],
        signs: [
          { object, shows: { metadata: { finalizers: ['rules.example.com/archive'] } } },
          {
            object: applicationRef(app(name)),
            shows: { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } },
          },
        ],
      };
    },
  },
  {
    name: 'sign-on-with-a-secret-that-is-not-there',
    because: 'the sign-on of the settings takes its password from a Secret that does not exist',
    kind: 'silent',
    inject(scene) {
      const text =
        'name: Keycloak\nissuer: https://auth.ameide.example.com/realms/platform\nclientID: argocd\n' +
        'clientSecret: $argocd-sign-on:client-secret\nrequestedScopes: [openid, profile, groups]\n';
      scene.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: SETTINGS.name,
          namespace: SETTINGS.namespace,
          labels: { 'app.kubernetes.io/part-of': 'argocd' },
        },
        data: { 'oidc.config': text },
      });
      return {
        roots: [
          {
            object: SETTINGS,
            field: 'data["oidc.config"]',
            value: text,
            also: [{ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-sign-on' }],
          },
        ],
        applications: [],
        signs: [
          { object: { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-sign-on' }, isAbsent: true },
          { object: SETTINGS, shows: { data: { 'oidc.config': text } } },
        ],
      };
    },
  },
];
