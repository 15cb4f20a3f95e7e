{{- /*
The repository that images are built from: imageBuilds.gitRepository, else git.repoURL, else global.git.repoURL. No level has to be
there. Without any of them rendering ends with a sentence, not with a manifest that lacks its spec.

  uri: {{ include "argosy.gitUrl" . }}
*/ -}}
{{- define "argosy.gitUrl" -}}
{{- $values := .Values | default dict -}}
{{- $url := ($values.imageBuilds).gitRepository | default ($values.git).repoURL | default (($values.global).git).repoURL -}}
{{- required "git.repoURL is required: set git.repoURL, global.git.repoURL or imageBuilds.gitRepository" $url -}}
{{- end -}}
