module argosy.dev/application

go 1.24.0
