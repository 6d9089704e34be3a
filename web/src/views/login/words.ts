import { defineWords } from '../../words/words';

export const words = defineWords(
  {
    title: 'gpusched',
    how: 'On the machine itself, one command prints a link that logs you in:',
    orToken: 'Or paste a token here:',
    token: 'Token',
    logIn: 'Log in',
    back: 'Afterwards you are where you were.',
    over: 'The login is over: its token expired or was revoked, or you logged out.',
    revoked: 'The login is over: its token was revoked.',
    expired: 'The login is over: its token has expired.',
    ended: 'The login is over: it was not used for long, or you logged out elsewhere.',
  },
  {
    title: 'gpusched',
    how: '在那台机器上，用一条命令即可得到登录链接：',
    orToken: '或者在此粘贴令牌：',
    token: '令牌',
    logIn: '登录',
    back: '登录后将回到您刚才所在的页面。',
    over: '登录已结束：令牌已过期或被撤销，或者您已退出登录。',
    revoked: '登录已结束：令牌已被撤销。',
    expired: '登录已结束：令牌已过期。',
    ended: '登录已结束：长时间未使用，或您已在别处退出登录。',
  },
);
