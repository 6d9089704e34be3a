import { defineWords } from '../../words/words';

export const words = defineWords(
  {
    title: 'gpusched',
    how: 'On the machine itself, one command prints a link that logs you in:',
    orToken: 'Or paste a token here:',
    token: 'Token',
    logIn: 'Log in',
    expired: 'The login is over: its token expired, was revoked, or you logged out.',
  },
  {
    title: 'gpusched',
    how: '在那台机器上，用一条命令即可得到登录链接：',
    orToken: '或者在此粘贴令牌：',
    token: '令牌',
    logIn: '登录',
    expired: '登录已结束：令牌已过期、被撤销，或您已退出。',
  },
);
