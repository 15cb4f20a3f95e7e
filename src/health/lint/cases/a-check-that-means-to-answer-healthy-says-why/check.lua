-- masks-failure is meant: a template has no status.
return { status = "Healthy", message = "Template is there" }
