"""Facts about a cell's value. The source of this file also runs inside kernels: it needs nothing else."""


def describe(value):
    def attempt(act):
        try:
            return act()
        except Exception:
            return None

    def number(item):
        item = item.item() if hasattr(item, 'item') and getattr(item, 'size', 1) == 1 else item
        if isinstance(item, bool) or not hasattr(item, '__float__'):
            return None
        result = float(item)
        return result if result == result else 'NaN'

    def extreme(name):
        if hasattr(value, 'select_dtypes'):
            return number(getattr(getattr(value.select_dtypes('number'), name)(), name)())
        if hasattr(value, name):
            return number(getattr(value, name)())
        if isinstance(value, (list, tuple, set, frozenset)) and value:
            items = [number(item) for item in value]
            return {'min': min, 'max': max}[name](items)
        return number(value)

    def shape():
        if hasattr(value, 'shape'):
            return [int(size) for size in value.shape]
        sizes, level = [], value
        while isinstance(level, (list, tuple)) and len(sizes) < 32:
            sizes.append(len(level))
            level = level[0] if level else None
        return sizes or None

    names = []
    for each in type(value).__mro__[:-1]:
        names += [each.__name__, each.__module__ + '.' + each.__qualname__, each.__module__.split('.')[0] + '.' + each.__name__]
    size = attempt(lambda: int(value.size) if hasattr(value, 'size') and not callable(value.size) else len(value))
    return {
        'types': names,
        'shape': attempt(shape),
        'min': attempt(lambda: extreme('min')),
        'max': attempt(lambda: extreme('max')),
        'size': size,
        'sizes': list(value) if isinstance(value, tuple) and all(type(item) is int for item in value) else None,
    }
