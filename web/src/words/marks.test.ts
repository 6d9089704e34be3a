import '../testing/browser';
import { afterEach, describe, expect, it } from 'vitest';
import { causeText } from './causes';
import { clauses, listed, told } from './marks';
import { roleText } from './roles';
import { setLanguage } from './words';

afterEach(() => setLanguage('en'));

describe('words in a row', () => {
  it('have the marks of their language', () => {
    expect([listed([0, 2]), clauses(['a', null, false, '', 'b']), told('Users', 'a')]).toEqual(['0, 2', 'a, b', 'Users: a']);
    setLanguage('zh');
    expect([listed([0, 2]), clauses(['a', undefined, 'b']), told('用户', 'a')]).toEqual(['0、2', 'a，b', '用户：a']);
  });
});

describe('names that the daemon gives', () => {
  it('have words, and stand as they are where they have none', () => {
    expect([roleText('admin'), roleText('wizard'), causeText('cuda_oom'), causeText('new_cause'), causeText(null)]).toEqual(['administrator', 'wizard', 'card out of memory', 'new_cause', '–']);
    setLanguage('zh');
    expect([roleText('admin'), causeText('cuda_oom')]).toEqual(['管理员', '显存不足']);
  });
});
