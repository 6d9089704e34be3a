// GET /v1/settings: the settings in force, and where each comes from.
export interface Setting {
  name: string;
  value: string;
  default: string;
  from: 'default' | 'file' | 'command line' | 'run time';
  line: number | null;
  // The file says another value, `waits`, that holds after a restart.
  at_restart: boolean;
  waits?: string | null;
  about: string;
}
export interface Settings {
  schema: number;
  file: string | null;
  settings: Setting[];
}
