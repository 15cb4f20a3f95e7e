if obj.status == nil then
  return { status = "Progressing", message = "Waiting" }
end
if obj.status.readyReplicas < obj.spec.replicas then
  return { status = "Progressing", message = (obj.status.readyReplicas + 1) .. " ready" }
end
return { status = "Healthy" }
