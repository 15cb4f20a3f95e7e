// Before anything is painted, so that whoever chose a theme never sees the other one.
try {
  const chosen = localStorage.getItem('argosy.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing follows the system.
}
