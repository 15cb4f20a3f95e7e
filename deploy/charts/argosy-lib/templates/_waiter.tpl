{{- /* What both kinds of waiting have in common. These are not called from charts. */ -}}

{{- define "argosy.waiter.name" -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" (toString .name)) }}{{ fail (printf "%s: %s %q must be lower case letters, digits and dashes" .helper .what (toString .name)) }}{{ end -}}
{{- if gt (len .name) .most }}{{ fail (printf "%s: %s %q is longer than %d characters" .helper .what .name .most) }}{{ end -}}
{{- end -}}

{{- define "argosy.waiter.seconds" -}}
{{- /* Values are read as floating point numbers, of which large ones would be written with an exponent. */ -}}
{{- $text := toString (ternary (int64 .value) .value (kindIs "float64" .value)) -}}
{{- if not (regexMatch "^[1-9][0-9]{0,8}$" $text) }}{{ fail (printf "%s: %s %q must be a number of seconds" .helper .what (toString .value)) }}{{ end -}}
{{- end -}}

{{- /* The options of a call, checked, with defaults for what it leaves out. */ -}}
{{- define "argosy.waiter.options" -}}
{{- $helper := .helper -}}
{{- $given := .given -}}
{{- $values := ($given.context).Values | default dict -}}
{{- $defaults := (get $values "argosy-lib" | default dict).waiter | default dict -}}
{{- $name := required (printf "%s: name is required" $helper) $given.name -}}
{{- /* With wait-for- before it and the kind behind it, the name of the Job has 63 characters at most. */ -}}
{{- $_ := include "argosy.waiter.name" (dict "helper" $helper "what" "name" "name" $name "most" (int (sub 53 (len .kind)))) -}}
{{- $job := printf "wait-for-%s-%s" $name .kind -}}
{{- $namespace := required (printf "%s: namespace is required, or context" $helper) ($given.namespace | default (($given.context).Release).Namespace) -}}
{{- $_ := include "argosy.waiter.name" (dict "helper" $helper "what" "namespace" "name" $namespace "most" 63) -}}
{{- $wave := toString (required (printf "%s: syncWave is required, such as \"-3\"" $helper) $given.syncWave) -}}
{{- if not (regexMatch "^-?[0-9]+$" $wave) }}{{ fail (printf "%s: syncWave %q must be a whole number" $helper $wave) }}{{ end -}}
{{- $timeout := $given.timeout | default $defaults.timeout | default 3600 -}}
{{- $_ := include "argosy.waiter.seconds" (dict "helper" $helper "what" "timeout" "value" $timeout) -}}
{{- $interval := $given.interval | default $defaults.interval | default 30 -}}
{{- $_ := include "argosy.waiter.seconds" (dict "helper" $helper "what" "interval" "value" $interval) -}}
{{- $image := $given.image | default $defaults.image | default "image-registry.openshift-image-registry.svc:5000/openshift/cli:latest" -}}
{{- $account := $given.serviceAccount | default $job -}}
{{- $make := ternary $given.createServiceAccount (empty $given.serviceAccount) (hasKey $given "createServiceAccount") -}}
{{- dict "job" $job "namespace" $namespace "wave" $wave "timeout" $timeout "interval" $interval "image" $image "account" $account "make" $make "user" $given.runAsUser | toYaml -}}
{{- end -}}

{{- define "argosy.waiter" -}}
{{- $wait := .wait -}}
{{- if $wait.make }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $wait.account }}
  namespace: {{ $wait.namespace }}
  annotations:
    argocd.argoproj.io/sync-wave: {{ $wait.wave | quote }}
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $wait.job }}
  namespace: {{ $wait.namespace }}
  annotations:
    argocd.argoproj.io/sync-wave: {{ $wait.wave | quote }}
rules:
{{ toYaml .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $wait.job }}
  namespace: {{ $wait.namespace }}
  annotations:
    argocd.argoproj.io/sync-wave: {{ $wait.wave | quote }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $wait.job }}
subjects:
- kind: ServiceAccount
  name: {{ $wait.account }}
  namespace: {{ $wait.namespace }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $wait.job }}
  namespace: {{ $wait.namespace }}
  annotations:
    argocd.argoproj.io/hook: Sync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
    argocd.argoproj.io/sync-wave: {{ $wait.wave | quote }}
{{- with .annotations }}
{{ toYaml . | indent 4 }}
{{- end }}
spec:
  backoffLimit: 0
  # A look that hangs ends as well.
  activeDeadlineSeconds: {{ add (int $wait.timeout) (int $wait.interval) 60 }}
  # A node that is drained meanwhile is no failure of the waiting.
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
        status: "True"
  template:
    spec:
      serviceAccountName: {{ $wait.account }}
      restartPolicy: Never
      securityContext:
        runAsNonRoot: true
{{- with $wait.user }}
        runAsUser: {{ int . }}
{{- end }}
        seccompProfile:
          type: RuntimeDefault
      containers:
      - name: wait
        image: {{ $wait.image }}
        command: ["/bin/sh", "-c"]
        args:
        - |
{{ .script | indent 10 }}
        resources:
          requests:
            cpu: 10m
            memory: 64Mi
        securityContext:
          allowPrivilegeEscalation: false
          capabilities:
            drop: ["ALL"]
{{- end -}}
