// Before anything is drawn: the theme that was chosen on this device, as client/device/theme.svelte.ts keeps it.
try {
  const theme = JSON.parse(localStorage.getItem('parley.theme') ?? 'null');
  if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme);
} catch {
  // Nothing may be kept here, or it is not ours: then as the system prefers.
}
