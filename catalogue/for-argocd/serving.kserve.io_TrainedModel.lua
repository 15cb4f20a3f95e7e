-- For Argo CD. KServe says in Ready whether the model is loaded into its service; until then it is waited for.
local status = obj.status or {}
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" and condition.status == "True" then
    return { status = "Healthy", message = "TrainedModel is ready" }
  end
end
return { status = "Progressing", message = "Waiting for TrainedModel" }
