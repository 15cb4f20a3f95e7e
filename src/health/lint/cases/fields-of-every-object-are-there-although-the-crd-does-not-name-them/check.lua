local hs = { status = "Progressing", message = obj.kind .. " of " .. obj.apiVersion }
local asked = obj.metadata.annotations and obj.metadata.annotations["mlops.dev/rerun"]
if asked == nil and obj.status ~= nil and obj.status.phase == "Succeeded" then
  hs.status = "Healthy"
end
return hs
