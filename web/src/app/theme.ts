// Light, dark, or as the system has it. The choice is kept in this browser.
export type Theme = 'auto' | 'light' | 'dark';
const kKept = 'gpusched.theme';

export function themeNow(): Theme {
  const kept = localStorage.getItem(kKept);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}
export function isDark(): boolean {
  const theme = themeNow();
  return theme === 'dark' || (theme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
}
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = isDark() ? 'dark' : 'light';
}
export function setTheme(theme: Theme): void {
  if (theme === 'auto') localStorage.removeItem(kKept);
  else localStorage.setItem(kKept, theme);
  applyTheme();
  window.dispatchEvent(new Event('gpusched-theme'));
}
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  applyTheme();
  window.dispatchEvent(new Event('gpusched-theme'));
});
