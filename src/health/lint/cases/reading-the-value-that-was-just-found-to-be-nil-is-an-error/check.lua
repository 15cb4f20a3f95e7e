local hs = { status = "Progressing" }
if obj.status == nil then
  hs.message = obj.status.message
end
return hs
