{{- define "wait-for-image" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: wait-for-{{ .name }}
  annotations:
    argocd.argoproj.io/hook: Sync
    argocd.argoproj.io/sync-wave: {{ .wave | quote }}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: wait
        image: registry.example/cli:1
        command: ["/bin/bash", "-c"]
        args:
        - |
          LIMIT={{ .limit | default 3600 }}
          while [ $ELAPSED -lt $LIMIT ]; do
            oc get imagestreamtag {{ .tag }} && exit 0
            sleep 30
            ELAPSED=$((ELAPSED + 30))
          done
          exit 1
{{- end }}
