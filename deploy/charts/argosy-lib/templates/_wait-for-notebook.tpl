{{- /*
Waits until a NotebookValidationJob has succeeded, and fails when it has failed: a Sync hook, the account it runs as, and a Role with
what it reads. Not a PreSync hook: those come before every wave, so it would wait for what is only made after it.

  {{ include "argosy.waitForNotebook" (dict "name" "train" "syncWave" "3" "namespace" .Release.Namespace) }}

name       REQUIRED: the NotebookValidationJob; the Job is wait-for-NAME-notebook
syncWave   REQUIRED: behind the wave of the notebook
The others are those of argosy.waitForImage: namespace, timeout, interval, serviceAccount, createServiceAccount, image, runAsUser, context.
*/ -}}
{{- define "argosy.waitForNotebook" -}}
{{- $wait := include "argosy.waiter.options" (dict "helper" "argosy.waitForNotebook" "kind" "notebook" "given" .) | fromYaml -}}
{{- $rules := list (dict "apiGroups" (list "mlops.mlops.dev") "resources" (list "notebookvalidationjobs") "resourceNames" (list .name) "verbs" (list "get")) -}}
{{- $script := include "argosy.waitForNotebook.script" (dict "name" .name "namespace" $wait.namespace "timeout" (int $wait.timeout) "interval" (int $wait.interval)) -}}
{{- include "argosy.waiter" (dict "wait" $wait "rules" $rules "script" $script "annotations" dict) -}}
{{- end -}}

{{- /* A phase from before the last change of the notebook says nothing about this one. */ -}}
{{- define "argosy.waitForNotebook.script" -}}
set -u
ELAPSED=0
while :; do
  STATE=$(kubectl get notebookvalidationjobs.mlops.mlops.dev {{ .name }} -n {{ .namespace }} -o 'jsonpath={.metadata.generation}/{.status.observedGeneration}/{.status.phase}/{.status.message}') || STATE=///
  GENERATION=${STATE%%/*} STATE=${STATE#*/}
  OBSERVED=${STATE%%/*} STATE=${STATE#*/}
  PHASE=${STATE%%/*} MESSAGE=${STATE#*/}
  if [ "${OBSERVED:-$GENERATION}" != "$GENERATION" ]; then PHASE=; fi
  case "$PHASE" in
  Succeeded)
    echo "notebook {{ .name }} succeeded"
    exit 0 ;;
  Failed)
    echo "notebook {{ .name }} failed: $MESSAGE" >&2
    exit 1 ;;
  esac
  if [ "$ELAPSED" -ge {{ .timeout }} ]; then
    echo "notebook {{ .name }} did not end within {{ .timeout }} seconds" >&2
    exit 1
  fi
  echo "notebook {{ .name }} is ${PHASE:-not started}"
  sleep {{ .interval }}
  ELAPSED=$((ELAPSED + {{ .interval }}))
done
{{- end -}}
