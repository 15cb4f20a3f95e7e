{{- /* Given to every chart of the fleet by the generator. */ -}}
{{- define "fleet.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "fleet.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default (include "fleet.name" .) }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "fleet.labels" -}}
{{ include "fleet.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: {{ .Values.partOf | default "ameide" }}
ameide.io/environment: {{ .Values.environment | default "cluster" }}
{{- end -}}
{{- define "fleet.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- define "fleet.image" -}}
{{- $image := .Values.image | default dict -}}
{{ $image.repository | default (printf "%s/%s" (.Values.registry | default "ghcr.io/ameideio") (include "fleet.name" .)) }}:{{ $image.tag | default .Values.imageTag | default "latest" }}
{{- end -}}
{{- define "fleet.externalSecret" -}}
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata:
  name: {{ .secret.name }}
  labels:
    {{- include "fleet.labels" .root | nindent 4 }}
spec:
  refreshInterval: {{ .secret.refreshInterval | default "1h" }}
  secretStoreRef:
    name: {{ .root.Values.secretStore.name }}
    kind: {{ .root.Values.secretStore.kind | default "SecretStore" }}
  target:
    name: {{ .secret.name }}
    creationPolicy: Owner
    {{- with .secret.type }}
    template:
      type: {{ . }}
    {{- end }}
  data:
    {{- range $key, $remote := .secret.keys }}
    - secretKey: {{ $key }}
      remoteRef:
        key: {{ $remote }}
        property: value
    {{- end }}
{{- end -}}
{{- define "fleet.serviceMonitor" -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ include "fleet.name" . }}
  labels:
    {{- include "fleet.labels" . | nindent 4 }}
  annotations:
    argocd.argoproj.io/sync-options: SkipDryRunOnMissingResource=true
spec:
  selector:
    matchLabels:
      {{- include "fleet.selector" . | nindent 6 }}
  endpoints:
    - port: http
{{- end -}}
