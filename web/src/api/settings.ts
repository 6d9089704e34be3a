// GET /v1/settings: the settings in force, and where each comes from.
import type { Schemas } from './client';

export type Setting = Schemas['Setting'];
export type Settings = Schemas['Settings'];
