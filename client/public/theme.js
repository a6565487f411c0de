// Runs before the page’s script: applies the theme that client/device/theme.svelte.ts saved on this device, before the
// first paint.
try {
  const theme = JSON.parse(localStorage.getItem('parley.theme') ?? 'null');
  if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme);
} catch {
  // Storage is forbidden, or the value is invalid: use the system's preference.
}
