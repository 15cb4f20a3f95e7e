local hs = { status = "Progresing" }
if obj.status ~= nil and obj.status.ready == true then
  hs.status = "healthy"
elseif obj.status ~= nil and obj.status.error ~= nil then
  hs.status = "Failed"
end
return hs
