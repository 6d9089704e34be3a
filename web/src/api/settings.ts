// GET /v1/settings: the settings in force, and where each comes from.
export interface Setting {
  name: string;
  value: string;
  default: string;
  from: 'default' | 'file' | 'command line' | 'run time';
  line: number | null;
  at_restart: boolean;
  about: string;
}
export interface Settings {
  schema: number;
  file: string | null;
  settings: Setting[];
}
