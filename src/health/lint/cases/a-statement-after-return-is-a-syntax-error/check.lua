hs = {}
hs.status = "Progressing"
return hs
hs.message = "late"
