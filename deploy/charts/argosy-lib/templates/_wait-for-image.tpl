{{- /*
Waits until a tag of an ImageStream is there: a Sync hook, the account it runs as, and a Role with what it reads.

  {{ include "argosy.waitForImage" (dict "name" "validator" "syncWave" "-3" "imageTag" "validator:latest" "namespace" .Release.Namespace) }}

name                  REQUIRED: the Job is wait-for-NAME-image
imageTag              REQUIRED: STREAM:TAG
namespace             REQUIRED, unless context is given: where the ImageStream is, and the Job
syncWave              REQUIRED: behind the wave of what makes the image
timeout, interval     seconds to wait, and between two looks
serviceAccount        an account that is there already; without it one is made
createServiceAccount  true makes the account that serviceAccount names
buildConfig           the BuildConfig that makes the image: a build that failed ends the waiting at once
image                 of the Job
runAsUser             for an image that names no user of its own
context               $, for the values of argosy-lib and the namespace of the release
*/ -}}
{{- define "argosy.waitForImage" -}}
{{- $wait := include "argosy.waiter.options" (dict "helper" "argosy.waitForImage" "kind" "image" "given" .) | fromYaml -}}
{{- $tag := required "argosy.waitForImage: imageTag is required, such as validator:latest" .imageTag -}}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?:[A-Za-z0-9_][A-Za-z0-9_.-]*$" $tag) }}{{ fail (printf "argosy.waitForImage: imageTag %q is not STREAM:TAG, such as validator:latest" $tag) }}{{ end -}}
{{- $rules := list (dict "apiGroups" (list "image.openshift.io") "resources" (list "imagestreamtags") "resourceNames" (list $tag) "verbs" (list "get")) -}}
{{- if .buildConfig -}}
{{- $_ := include "argosy.waiter.name" (dict "helper" "argosy.waitForImage" "what" "buildConfig" "name" .buildConfig "most" 63) -}}
{{- $rules = append $rules (dict "apiGroups" (list "build.openshift.io") "resources" (list "builds") "verbs" (list "list")) -}}
{{- end -}}
{{- $script := include "argosy.waitForImage.script" (dict "tag" $tag "namespace" $wait.namespace "timeout" (int $wait.timeout) "interval" (int $wait.interval) "buildConfig" .buildConfig) -}}
{{- /* Where Argosy delivers it holds the wave itself, so that the Job finds the image there; elsewhere these mean nothing. */ -}}
{{- $annotations := dict "argosy.dev/wait-for-image" (printf "imagestreamtag/%s@%s" $tag $wait.namespace) "argosy.dev/wait-timeout" (printf "%ds" (int $wait.timeout)) -}}
{{- include "argosy.waiter" (dict "wait" $wait "rules" $rules "script" $script "annotations" $annotations) -}}
{{- end -}}

{{- define "argosy.waitForImage.script" -}}
set -u
ELAPSED=0
until oc get imagestreamtag {{ .tag }} -n {{ .namespace }}; do
{{- if .buildConfig }}
  BUILD=$(oc get builds -n {{ .namespace }} -l buildconfig={{ .buildConfig }} --sort-by=.metadata.creationTimestamp -o 'jsonpath={range .items[*]}{.status.phase} {.metadata.name} {.status.reason}: {.status.message}{"\n"}{end}' | tail -n 1)
  case "$BUILD" in
  Failed\ *|Error\ *|Cancelled\ *)
    echo "image {{ .tag }} does not come: build ${BUILD#* }" >&2
    exit 1 ;;
  esac
{{- end }}
  if [ "$ELAPSED" -ge {{ .timeout }} ]; then
    echo "image {{ .tag }} was not there within {{ .timeout }} seconds" >&2
    exit 1
  fi
  sleep {{ .interval }}
  ELAPSED=$((ELAPSED + {{ .interval }}))
done
{{- end -}}
