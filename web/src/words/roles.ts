// What each role is called; one that this page does not know stands as it is.
import { defineWords, wordsNow } from './words';

const words = defineWords(
  { viewer: 'viewer', user: 'user', operator: 'operator', admin: 'administrator' },
  { viewer: '查看者', user: '用户', operator: '操作员', admin: '管理员' },
);

export function roleText(role: string): string {
  return (wordsNow(words) as Record<string, string>)[role] ?? role;
}
