if obj.status == nil or obj.status.phase == nil then
  return { status = "Progressing" }
end
return { status = obj.status.phase, message = obj.status.message }
