{{- /* These are called with a dictionary: root is $, name is argosy-controller or argosy-server, part is its values. */ -}}

{{- define "argosy.labels" -}}
{{- with .name }}
app.kubernetes.io/name: {{ . }}
{{- end }}
app.kubernetes.io/part-of: argosy
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
argosy.dev/installation: {{ .root.Release.Namespace }}
{{- end -}}

{{- define "argosy.selector" -}}
app.kubernetes.io/name: {{ .name }}
argosy.dev/installation: {{ .root.Release.Namespace }}
{{- end -}}

{{- define "argosy.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "argosy.labels" . | nindent 2 }}
{{- end -}}

{{- define "argosy.hosts" -}}
{{- $ns := .Release.Namespace -}}
{{- $hosts := list "argosy-server" (printf "argosy-server.%s" $ns) (printf "argosy-server.%s.svc" $ns) (printf "argosy-server.%s.svc.cluster.local" $ns) -}}
{{- $hosts = concat $hosts .Values.hosts -}}
{{- if .Values.ingress.enabled }}{{ $hosts = append $hosts .Values.ingress.host }}{{ end -}}
{{- if and .Values.route.enabled .Values.route.host }}{{ $hosts = append $hosts .Values.route.host }}{{ end -}}
{{- toJson $hosts -}}
{{- end -}}

{{- define "argosy.commonArgs" -}}
{{- list (printf "--namespace=%s" .Release.Namespace) (printf "--profile=%s" .Values.profile) "--security-profile=shared" "--data=/data/argosy" "--audit-log=-" (printf "--log-level=%s" .Values.logLevel) (printf "--log-format=%s" .Values.logFormat) | toJson -}}
{{- end -}}

{{- define "argosy.controllerArgs" -}}
{{- $args := concat (list "controller") (include "argosy.commonArgs" . | fromJsonArray) -}}
{{- $args = concat $args (list (printf "--metrics-address=%s" .Values.listenAddress) "--metrics-port=8082") -}}
{{- if .Values.readOnly }}{{ $args = append $args "--read-only" }}{{ end -}}
{{- if gt (int .Values.shards) 1 }}{{ $args = append $args (printf "--shards=%d" (int .Values.shards)) }}{{ end -}}
{{- range .Values.remoteHosts }}{{ $args = append $args (printf "--remote-host=%s" .) }}{{ end -}}
{{- concat $args .Values.controller.extraArgs | toJson -}}
{{- end -}}

{{- define "argosy.serverArgs" -}}
{{- $args := concat (list "serve") (include "argosy.commonArgs" . | fromJsonArray) -}}
{{- $args = concat $args (list (printf "--host=%s" .Values.listenAddress) "--port=8080") -}}
{{- range include "argosy.hosts" . | fromJsonArray }}{{ $args = append $args (printf "--allow-host=%s" .) }}{{ end -}}
{{- if .Values.admin }}{{ $args = append $args "--enable-admin" }}{{ end -}}
{{- if eq .Values.tls.source "none" }}{{ $args = append $args "--insecure" }}{{ end -}}
{{- with .Values.trustedProxies }}{{ $args = append $args (printf "--trusted-proxies=%s" (join "," .)) }}{{ end -}}
{{- range .Values.remoteHosts }}{{ $args = append $args (printf "--remote-host=%s" .) }}{{ end -}}
{{- concat $args .Values.server.extraArgs | toJson -}}
{{- end -}}

{{- /* Also takes args, replicas, port and scheme. */ -}}
{{- define "argosy.workload" -}}
replicas: {{ .replicas }}
revisionHistoryLimit: 3
selector:
  matchLabels:
    {{- include "argosy.selector" . | nindent 4 }}
template:
  metadata:
    labels:
      {{- include "argosy.labels" . | nindent 6 }}
    {{- with .part.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    serviceAccountName: {{ .name }}
    {{- with .root.Values.imagePullSecrets }}
    imagePullSecrets:
      {{- range . }}
      - name: {{ . }}
      {{- end }}
    {{- end }}
    # A numeric user comes with the image; OpenShift chooses another one.
    securityContext:
      runAsNonRoot: true
      seccompProfile:
        type: RuntimeDefault
    terminationGracePeriodSeconds: 30
    {{- with .part.priorityClassName }}
    priorityClassName: {{ . }}
    {{- end }}
    {{- with .part.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .part.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .part.affinity }}
    affinity:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- if gt (int .replicas) 1 }}
    topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels:
            {{- include "argosy.selector" . | nindent 12 }}
    {{- end }}
    containers:
      - name: {{ .name }}
        image: {{ .root.Values.image | default (printf "localhost/argosy:%s" .root.Chart.AppVersion) }}
        imagePullPolicy: {{ .root.Values.imagePullPolicy }}
        args:
          {{- toYaml .args | nindent 10 }}
        env:
          - name: HOME
            value: /data
          - name: TMPDIR
            value: /data
          {{- with .part.env }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
        ports:
          - name: {{ .port.name }}
            containerPort: {{ .port.number }}
            protocol: TCP
        # A start may wait for a slow API server; afterwards only a process that does not answer is restarted.
        startupProbe:
          {{- include "argosy.probe" (dict "path" "/healthz" "port" .port) | nindent 10 }}
          periodSeconds: 2
          timeoutSeconds: 5
          failureThreshold: 150
        livenessProbe:
          {{- include "argosy.probe" (dict "path" "/healthz" "port" .port) | nindent 10 }}
          periodSeconds: 10
          timeoutSeconds: 10
          failureThreshold: 6
        readinessProbe:
          {{- include "argosy.probe" (dict "path" "/readyz" "port" .port) | nindent 10 }}
          periodSeconds: 5
          timeoutSeconds: 10
          failureThreshold: 3
        resources:
          {{- toYaml .part.resources | nindent 10 }}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          runAsNonRoot: true
          capabilities:
            drop:
              - ALL
          seccompProfile:
            type: RuntimeDefault
        volumeMounts:
          - name: data
            mountPath: /data
    volumes:
      - name: data
        emptyDir:
          sizeLimit: {{ .part.volumeSize }}
{{- end -}}

{{- define "argosy.probe" -}}
httpGet:
  path: {{ .path }}
  port: {{ .port.name }}
  scheme: {{ .port.scheme }}
{{- end -}}

{{- /* A role and its binding: name, component, rules, and namespace unless it is for the whole cluster. */ -}}
{{- define "argosy.role" -}}
{{- $kind := ternary "Role" "ClusterRole" (hasKey . "namespace") -}}
{{- $meta := dict "root" .root "name" .component -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "argosy.labels" $meta | nindent 4 }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ .name }}
  {{- with .namespace }}
  namespace: {{ . }}
  {{- end }}
  labels:
    {{- include "argosy.labels" $meta | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ .component }}
    namespace: {{ .root.Release.Namespace }}
{{ end -}}
