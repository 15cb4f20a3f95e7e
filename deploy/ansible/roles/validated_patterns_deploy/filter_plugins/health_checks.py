"""Lists of health checks, as an ArgoCD resource has them."""


def _name(check):
    return (check.get("group") or "", check.get("kind") or "")


def merge_health_checks(there, ours):
    """Ours in place of those of the same group and kind, once; all others stay. A merge patch alone would replace the whole list."""
    new = {_name(check): check for check in ours}
    names = set(new)
    merged = []
    for check in there:
        if _name(check) not in names:
            merged.append(check)
        elif _name(check) in new:
            merged.append(new.pop(_name(check)))
    return merged + list(new.values())


def missing_health_checks(checks, maps):
    """The keys of argocd-cm that do not hold their check yet."""
    data = {}
    for each in maps:
        data.update(each.get("data") or {})
    keys = {}
    for check in checks:
        group, kind = _name(check)
        keys["resource.customizations.health." + (kind if group == "" else group + "_" + kind)] = check["check"]
    return [key for key, check in keys.items() if data.get(key) != check]


class FilterModule:
    def filters(self):
        return {"merge_health_checks": merge_health_checks, "missing_health_checks": missing_health_checks}
