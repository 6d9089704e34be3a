// What a replay cannot know. The daemon says it in the names of its answer; those notes that are known
// here have words for people, and any other stands as it is.
import { amount, momentDated } from '../../words/figures';
import { defineWords, wordsNow } from '../../words/words';

const words = defineWords(
  {
    asLong: 'Each job is taken to run as long as it did, wherever it runs; nobody submits more, less, or at another time because the machine is another one.',
    edges: 'What ran or waited when the time began, and what has not ended yet, is not in it.',
    without: 'Quotas, groups, dependencies, begin times, reservations and the calendar are not replayed, and nobody is moved aside.',
    part: (since: string) => `There are more jobs than are replayed at once: these are the newest, since ${since}.`,
    again: (count: string) => `${count} of the jobs ran more than once; the time of their earlier attempts counts as waiting in what really happened.`,
    tooLarge: (count: string) => `${count} jobs ask for more than this machine has, or would have; they are left out everywhere.`,
    whole: (policy: string) => `The order “${policy}” gives whole cards: with it no two jobs share one.`,
    others: 'Jobs of others were replayed, too; all but the use of the cards is told of your own.',
  },
  {
    asLong: '重放假定每个作业无论在哪里运行，时间都与当时相同；也没有人因为机器不同而多提交、少提交或改在别的时间提交。',
    edges: '时段开始时已在运行或等待的作业，以及尚未结束的作业，不在其中。',
    without: '配额、组、依赖、最早启动时间、预留和日历不参与重放，也没有作业让位。',
    part: (since: string) => `作业数超过一次可重放的数量：这里只包括 ${since} 以来最新的作业。`,
    again: (count: string) => `其中 ${count} 个作业运行过不止一次；在实际情况中，先前几次运行的时间计为等待。`,
    tooLarge: (count: string) => `有 ${count} 个作业的需求超过这台机器（或改动后的机器）所能提供，均未计入。`,
    whole: (policy: string) => `“${policy}”策略按整卡分配：采用它时没有作业共享显卡。`,
    others: '他人的作业也参与了重放；除显卡使用率外，其余数字只涉及您自己的作业。',
  },
);
type Words = (typeof words)['en'];

// null: the view says it already.
const kKnown: [RegExp, (w: Words, found: string[]) => string | null][] = [
  [/^as_configured replays the same jobs/, () => null],
  [/^would has no job of tenant /, () => null],
  [/^Each job is taken to run as long as it did/, (w) => w.asLong],
  [/^What ran or waited when the time began/, (w) => w.edges],
  [/^Quotas, groups, dependencies, begin times, reservations and the calendar are not replayed, and nobody is moved aside\.$/, (w) => w.without],
  [/^There are more jobs than are replayed at once: these are the newest, since (.+)\.$/, (w, [at = '']) => w.part(Number.isNaN(Date.parse(at)) ? at : momentDated(at))],
  [/^(\d+) of the jobs ran more than once/, (w, [count]) => w.again(amount(Number(count)))],
  [/^(\d+) jobs ask for more than this machine has/, (w, [count]) => w.tooLarge(amount(Number(count)))],
  [/^([\w-]+) gives whole cards: in would/, (w, [policy = '']) => w.whole(policy)],
  [/^Jobs of others were replayed, too/, (w) => w.others],
];

export function notesOf(notes: string[]): string[] {
  const w = wordsNow(words) as Words;
  return notes.flatMap((note) => {
    for (const [shape, say] of kKnown) {
      const found = shape.exec(note);
      if (!found) continue;
      const text = say(w, found.slice(1));
      return text === null ? [] : [text];
    }
    return [note];
  });
}
