hs = {}
hs.status = "Degraded"
return { status = "Progressing" }
