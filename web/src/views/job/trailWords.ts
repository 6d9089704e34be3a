// What the kinds of entries in a job's trail are called. A kind without a word stands as it is.
import { defineWords } from '../../words/words';

export const trailWords = defineWords(
  {
    submitted: 'submitted', starting: 'starting', running: 'running', completed: 'done', failed: 'failed', cancelled: 'cancelled', cancelling: 'stopping', stopping: 'stopping', held: 'held', released: 'released', requeued: 'requeued', changed: 'changed',
    pausing: 'moves aside', paused: 'aside', resuming: 'returns', moving: 'moving', room: 'makes room', deadline: 'deadline', vram_limit: 'VRAM limit', vram: 'VRAM', lost: 'lost', gpu_lost: 'card lost', adopted: 'adopted', settled: 'settled', card: 'card', retry: 'retry', ended: 'ended', queued: 'waiting',
  },
  {
    submitted: '已提交', starting: '启动中', running: '运行中', completed: '已完成', failed: '失败', cancelled: '已取消', cancelling: '正在停止', stopping: '正在停止', held: '已挂起', released: '已放行', requeued: '重新排队', changed: '已更改',
    pausing: '让位中', paused: '已让位', resuming: '返回中', moving: '迁移中', room: '腾出空间', deadline: '截止时间', vram_limit: '显存上限', vram: '显存', lost: '丢失', gpu_lost: '显卡丢失', adopted: '已接管', settled: '已稳定', card: '显卡', retry: '重试', ended: '已结束', queued: '等待中',
  },
);
