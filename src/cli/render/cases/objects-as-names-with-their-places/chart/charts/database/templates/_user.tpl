{{- define "database.user" -}}
{{- if not (.Values.auth).user }}{{ fail "a user is needed" }}{{ end }}
{{- .Values.auth.user }}
{{- end }}
