"""What the notebooks of this repository share: data, a model by scikit-learn where it is installed, and where the model goes."""
import json
import os
import pathlib
import random
import urllib.request

SETTINGS = json.loads((pathlib.Path(__file__).parent / 'settings.json').read_text())


def payments(count):
    """Payments with amount and hour, and how risky each of them was."""
    chance = random.Random(7)
    rows = [[chance.uniform(0, 100), chance.uniform(0, 24)] for _ in range(count)]
    return rows, [SETTINGS['weights'][0] * amount + SETTINGS['weights'][1] * hour for amount, hour in rows]


class ByHand:
    """Least squares of two numbers, for a Python without libraries."""

    library = 'plain Python'

    def __init__(self, rows, targets):
        aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
        ay, by = (sum(row[i] * target for row, target in zip(rows, targets)) for i in (0, 1))
        span = aa * bb - ab * ab
        self.weights = [(ay * bb - by * ab) / span, (by * aa - ay * ab) / span]

    def predict(self, rows):
        return [sum(weight * value for weight, value in zip(self.weights, row)) for row in rows]


def fit(rows, targets):
    try:
        from sklearn.linear_model import LinearRegression
    except ImportError:
        return ByHand(rows, targets)
    model = LinearRegression(fit_intercept=False).fit(rows, targets)
    model.library = 'scikit-learn'
    return model


def mean_error(model, rows, targets):
    return sum(abs(found - target) for found, target in zip(model.predict(rows), targets)) / len(rows)


def save(model, folder):
    """Written beside and then renamed: who reads the model sees the old one or the new one."""
    os.makedirs(folder, exist_ok=True)
    unfinished = os.path.join(folder, 'unfinished')
    if isinstance(model, ByHand):
        name = 'model.json'
        with open(unfinished, 'w') as file:
            json.dump({'version': SETTINGS['version'], 'coefficients': model.weights}, file)
    else:
        import joblib
        name = 'model.joblib'
        joblib.dump({'version': SETTINGS['version'], 'model': model}, unfinished)
    os.replace(unfinished, os.path.join(folder, name))
    return '%s %s by %s' % (name, SETTINGS['version'], model.library)


def load(folder):
    path = os.path.join(folder, 'model.json')
    if os.path.exists(path):
        with open(path) as file:
            model = ByHand([[1, 0], [0, 1]], json.load(file)['coefficients'])
        return model
    import joblib
    return joblib.load(os.path.join(folder, 'model.joblib'))['model']


def ask(question):
    """Goes on when somebody has answered; at once where there is nobody to ask."""
    if SETTINGS.get('ask'):
        urllib.request.urlopen('%s/%s' % (SETTINGS['ask'], question)).read()
