// Settings by what somebody types: all words must be somewhere, and what is not at its default comes
// first.
import type { Setting } from '../../../api/settings';

export function differs(setting: Setting): boolean {
  return setting.from !== 'default' || setting.value !== setting.default || setting.at_restart;
}
export function findSettings(all: Setting[], text: string): { changed: Setting[]; rest: Setting[] } {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((one) => {
    const where = `${one.name} ${one.value} ${one.about}`.toLowerCase();
    return wanted.every((word) => where.includes(word));
  });
  return { changed: found.filter(differs), rest: found.filter((one) => !differs(one)) };
}
