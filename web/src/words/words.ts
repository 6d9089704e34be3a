// The page speaks English and Chinese. Each view has a table of its own beside it (words.ts); a
// word that one language lacks does not compile.
import { useEffect, useState } from 'preact/hooks';

export type Language = 'en' | 'zh';
type Word = string | ((...given: never[]) => string);
type Table = Record<string, Word>;
// The same words, with whatever text.
type Same<T extends Table> = { [K in keyof T]: T[K] extends string ? string : T[K] };

export interface Words<T extends Table> {
  en: T;
  zh: Same<T>;
}
export function defineWords<T extends Table>(en: T, zh: Same<T>): Words<T> {
  return { en, zh };
}

const kKept = 'gpusched.language';
const hearers = new Set<() => void>();

function first(): Language {
  const kept = localStorage.getItem(kKept);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
let language: Language = first();
document.documentElement.lang = htmlLanguage();

// What a screen reader reads in, and which shapes of characters are taken.
function htmlLanguage(): string {
  return language === 'zh' ? 'zh-CN' : 'en';
}
export function languageNow(): Language {
  return language;
}
export function setLanguage(next: Language): void {
  language = next;
  localStorage.setItem(kKept, next);
  document.documentElement.lang = htmlLanguage();
  for (const hear of hearers) hear();
}
// For Intl.
export function locale(): string {
  return language === 'zh' ? 'zh-CN' : 'en-GB';
}

export function useLanguage(): Language {
  const [, draw] = useState(0);
  useEffect(() => {
    const hear = () => draw((count) => count + 1);
    hearers.add(hear);
    return () => {
      hearers.delete(hear);
    };
  }, []);
  return language;
}
export function useWords<T extends Table>(words: Words<T>): Same<T> {
  return words[useLanguage()] as Same<T>;
}
export function wordsNow<T extends Table>(words: Words<T>): Same<T> {
  return words[language] as Same<T>;
}
