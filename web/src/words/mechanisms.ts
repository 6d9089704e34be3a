// How a job makes room; a way that this page does not know stands as it is.
import { defineWords, wordsNow } from './words';

const words = defineWords(
  { freeze: 'stopped, its VRAM stays', checkpoint: 'copied into host RAM', cooperative: 'it saved itself and left', requeue: 'it starts over later' },
  { freeze: '冻结，显存保留', checkpoint: '复制到主机内存', cooperative: '自行保存后退出', requeue: '稍后从头重新运行' },
);

export function mechanismText(mechanism: string): string {
  return (wordsNow(words) as Record<string, string>)[mechanism] ?? mechanism;
}
