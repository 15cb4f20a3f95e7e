local hs = { status = "Progressing" }
if ob.status ~= nil then
  hs.status = "Degraded"
end
return hs
