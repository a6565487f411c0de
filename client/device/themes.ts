/** The names and icons of the themes, apart from theme.svelte.ts, which every page loads. */
import { Moon, Sun, SunMoon } from 'lucide';

export const themes = [
  { value: 'system', label: 'Match system', icon: SunMoon },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
] as const;
