// What each kind of rule watches. The daemon says it in English; in Chinese it stands here.
import { defineWords, languageNow, wordsNow } from '../../../words/words';

const names = defineWords(
  {
    card_lost: 'card lost',
    temperature: 'temperature',
    throttling: 'slowed down',
    xid: 'XID error',
    ecc: 'memory errors',
    health: 'drained for its health',
    foreign_vram: 'VRAM of others',
    vram_full: 'VRAM full',
    idle_card: 'idle card',
    idle_holder: 'idle holder',
    long_wait: 'long wait',
    job_failed: 'job failed',
    failures_in_row: 'failures in a row',
    over_quota: 'over quota',
    disk_low: 'disk nearly full',
    sampler_stalled: 'no news of cards',
    store_slow: 'slow disk',
    weekly_report: 'weekly report',
  },
  {
    card_lost: '显卡丢失',
    temperature: '温度过高',
    throttling: '降频',
    xid: 'XID 错误',
    ecc: '显存错误',
    health: '因健康问题停用',
    foreign_vram: '外部进程占用显存',
    vram_full: '显存将满',
    idle_card: '显卡闲置',
    idle_holder: '占而不用',
    long_wait: '等待过久',
    job_failed: '作业失败',
    failures_in_row: '连续失败',
    over_quota: '超出配额',
    disk_low: '磁盘空间不足',
    sampler_stalled: '收不到显卡状态',
    store_slow: '磁盘写入缓慢',
    weekly_report: '每周报告',
  },
);
const watches: Record<string, string> = {
  card_lost: '显卡从总线上掉线（立即告警）、没有响应或缺失',
  temperature: '显卡温度高于其自身降频温度减 5 °C，没有该值时高于 85 °C；或显存温度高于 95 °C',
  throttling: '硬件因温度或供电使显卡降频；驱动在显卡忙碌时因温度降频达到十倍时长也算。功率上限不算告警',
  xid: '驱动报告了显卡错误；属于程序自身的错误，一天内有三名用户遇到才算',
  ecc: '一小时内纠正的显存错误多于此数，或有一处无法纠正',
  health: '健康规则停用了一张显卡',
  foreign_vram: '不属于任何作业的进程占用显卡显存超过此值',
  vram_full: '显卡显存使用率超过此百分比，且其作业用量超出分配',
  idle_card: '有放得下的作业在等待，而显卡空闲',
  idle_holder: '作业或进程占着显存而未使用的时间超过此值',
  long_wait: '等待最久的作业已等待超过此值',
  job_failed: '某用户的作业失败；在此时间内的失败合并通知',
  failures_in_row: '同一租户的同一程序连续失败达到此数',
  over_quota: '租户占用超出配额，或其 GPU 小时已用尽而仍有作业等待',
  disk_low: '状态目录所在磁盘的剩余空间低于此值；小磁盘以十分之一为准',
  sampler_stalled: '超过此时间、且连续三次都没有收到任何显卡的状态',
  store_slow: '一次提交写盘耗时超过此值',
  weekly_report: '不是告警：每周在此时间发送最近七天的报告',
};

// A rule with a name of its own keeps that name.
export function ruleName(name: string, kind: string): string {
  return name === kind ? ((wordsNow(names) as Record<string, string>)[kind] ?? name) : name;
}
export function ruleWatches(kind: string, english: string): string {
  return languageNow() === 'zh' ? (watches[kind] ?? english) : english;
}
