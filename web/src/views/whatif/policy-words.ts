// One sentence for each order that the simulator knows; docs/simulate.md has them exactly.
import { defineWords } from '../../words/words';

export const policyWords = defineWords(
  {
    default: 'the daemon’s own: bands, shares, then age; the first that does not fit gets a reservation, others pass if they do not delay it',
    timeshare: 'equals take turns: who has had little card time goes first, and running jobs are stopped for it',
    'fifo-strict': 'in the order of submission, nobody passes anybody',
    'fifo-greedy': 'in the order of submission, but whatever fits may start',
    sjf: 'the shortest job first; nobody passes it',
    srtf: 'the least remaining time first; running jobs are stopped for it',
    srsf: 'the least remaining time times cards first; running jobs are stopped for it',
    las: 'who has had least card time goes first; running jobs are stopped for it',
    easy: 'in the order of submission; others pass if they do not delay the first',
  },
  {
    default: '守护进程自己的策略：先看优先级段和份额，再看先后；第一个放不下的作业获得预留，其他作业在不耽误它的前提下可以先行',
    timeshare: '轮流使用：用卡时间少的优先，并为此停止正在运行的作业',
    'fifo-strict': '严格按提交先后，谁也不能超越',
    'fifo-greedy': '按提交先后，但放得下的都可以先启动',
    sjf: '最短的作业优先，其他作业不能超越它',
    srtf: '剩余时间最短的优先，并为此停止正在运行的作业',
    srsf: '剩余时间与卡数之积最小的优先，并为此停止正在运行的作业',
    las: '已用卡时最少的优先，并为此停止正在运行的作业',
    easy: '按提交先后；其他作业在不耽误队首作业的前提下可以先行',
  },
);
