// Which places there are under "People", and who sees them.
import type { ComponentType } from 'preact';
import type { WhoAmI } from '../../api/client';
import type { ViewProps } from '../../app/App';
import { may } from '../../app/session';
import { About } from './about/About';
import { Alarms } from './alarms/Alarms';
import { Audit } from './audit/Audit';
import { CardsTab } from './cards/CardsTab';
import { Groups } from './groups/Groups';
import { Report } from './report/Report';
import { SettingsTab } from './settings/SettingsTab';
import { Tenants } from './tenants/Tenants';
import { Tokens } from './tokens/Tokens';
import type { words } from './words';

export interface Tab {
  name: string;
  word: keyof (typeof words)['en'];
  view: ComponentType<ViewProps>;
  shown: (who: WhoAmI | null) => boolean;
}
const everybody = () => true;

export const kTabs: Tab[] = [
  { name: 'tenants', word: 'tenants', view: Tenants, shown: everybody },
  { name: 'report', word: 'report', view: Report, shown: everybody },
  { name: 'alarms', word: 'alarms', view: Alarms, shown: everybody },
  { name: 'groups', word: 'groups', view: Groups, shown: everybody },
  // What a card does stands in the overview; here it is taken out and put back.
  { name: 'cards', word: 'cards', view: CardsTab, shown: (who) => may(who, 'drain') || may(who, 'undrain') },
  { name: 'tokens', word: 'tokens', view: Tokens, shown: (who) => may(who, 'tokens') },
  { name: 'audit', word: 'audit', view: Audit, shown: (who) => may(who, 'see_audit') },
  { name: 'settings', word: 'settings', view: SettingsTab, shown: (who) => may(who, 'see_settings') || may(who, 'operate') },
  { name: 'about', word: 'about', view: About, shown: everybody },
];
