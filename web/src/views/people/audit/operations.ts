// What was done, by the name of its route. In English the name is words already.
import { languageNow } from '../../../words/words';

const chinese: Record<string, string> = {
  submit_jobs: '提交作业',
  set_jobs: '更改作业',
  cancel_jobs: '取消作业',
  hold_jobs: '挂起作业',
  release_jobs: '放行作业',
  pause_jobs: '暂停作业',
  resume_jobs: '恢复作业',
  requeue_jobs: '重新排队',
  disown_jobs: '放弃接管的进程',
  adopt_process: '接管进程',
  open_terminal: '打开终端',
  ask_lease: '申请租约',
  release_lease: '归还租约',
  renew_lease: '续期租约',
  resume_lease: '恢复租约',
  hold_lease: '持有租约',
  reset_leases: '清除租约',
  make_reservation: '预留显卡',
  remove_reservation: '结束预留',
  drain_gpu: '停用显卡',
  undrain_gpu: '恢复使用显卡',
  set_group: '设置组',
  remove_group: '删除组',
  set_tenant: '设置租户',
  replace_tenant: '重设租户',
  unset_tenant: '清除租户设置',
  make_silence: '静默告警',
  end_silence: '结束静默',
  test_alarms: '发送测试消息',
  make_token: '创建令牌',
  revoke_token: '撤销令牌',
  log_in: '登录',
  log_out: '退出登录',
  reload_config: '重新读取配置',
  set_log_level: '设置日志级别',
  start_daemon: '启动守护进程',
};

export function operationText(operation: string): string {
  return (languageNow() === 'zh' ? chinese[operation] : undefined) ?? operation.replaceAll('_', ' ');
}
