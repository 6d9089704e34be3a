// How words are put in a row: the marks between them differ from language to language.
import { languageNow } from './words';

export function listed(items: (string | number)[]): string {
  return items.join(languageNow() === 'zh' ? '、' : ', ');
}
// "Users: a, b"
export function told(name: string, text: string): string {
  return `${name}${languageNow() === 'zh' ? '：' : ': '}${text}`;
}
// A name in a sentence: signs in it that turn the direction of writing end with it.
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}
export function clauses(parts: (string | null | undefined | false)[]): string {
  return parts.filter(Boolean).join(languageNow() === 'zh' ? '，' : ', ');
}
