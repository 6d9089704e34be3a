// Why a job or an attempt ended, in words; a cause that this page does not know stands as it is.
import { defineWords, wordsNow } from './words';

const words = defineWords(
  {
    exit: 'exit code',
    signal: 'signal',
    timeout: 'time limit',
    expired: 'expired',
    cuda_oom: 'card out of memory',
    host_oom: 'host out of memory',
    gpu_lost: 'card lost',
    vram_limit: 'VRAM limit',
    launch: 'could not be started',
    dependency: 'dependency',
    machine_lost: 'machine lost',
    supervisor_lost: 'supervisor lost',
    restore_lost: 'lost on the way back',
    other: 'other',
  },
  {
    exit: '退出码非零',
    signal: '信号',
    timeout: '超过时限',
    expired: '未能及时启动',
    cuda_oom: '显存不足',
    host_oom: '主机内存不足',
    gpu_lost: '显卡丢失',
    vram_limit: '超过显存上限',
    launch: '无法启动',
    dependency: '所依赖的作业没有成功',
    machine_lost: '机器停机',
    supervisor_lost: '监护进程丢失',
    restore_lost: '无法恢复',
    other: '其他',
  },
);

export function causeText(cause: string | null | undefined): string {
  if (!cause) return '–';
  return (wordsNow(words) as Record<string, string>)[cause] ?? cause;
}
// The cause where an exit code or a signal does not already say it.
export function causeBeside(cause: string | null | undefined): string | null {
  return !cause || cause === 'exit' || cause === 'signal' ? null : causeText(cause);
}
