import type { UserTexts } from './user-texts.js';

const failed = '{action}を実行できませんでした。何も変更されていません。';
const busy =
  'サービスが現在リクエストを受け付けていないため、{action}を実行できませんでした。何も変更されていません。';
const unavailable = '{action}は現在利用できないため、開始しませんでした。何も変更されていません。';
const unrecorded = '安全に記録できないため、{action}を開始しませんでした。何も実行されていません。';
const unreadable =
  '依頼の内容を正しく読み取れなかったため、{action}を開始しませんでした。何も実行されていません。';

export const ja: UserTexts = {
  action: { ofTool: '「{tool}」', ofStep: '「{tool}」（{step}）' },
  item: { ofTool: '「{tool}」', ofStep: '「{tool}」（{step}）' },
  separator: '、',
  space: '',
  done: '{action}は実行済みです。再度実行されることはありません。',
  uncertain: '{action}が実行されたかどうかは、まだ確認できていません。',
  uncertainWithParts:
    '{action}が最後まで実行されたかどうかは、まだ確認できていません。次の部分は完了しています：{parts}。',
  checked: '現在確認中です。再度実行されることはありません。',
  leftToPerson:
    '自動では確認できないため、担当者による確認が必要です。再度実行されることはありません。',
  notRepeated: '再度実行されることはありません。',
  notDone: {
    unknown_tool: '{action}は、このアシスタントでは行えない操作です。何も実行されていません。',
    invalid_arguments:
      '指定された内容に誤りがあるため、{action}を開始できませんでした。何も実行されていません。',
    contract_changed:
      '{action}の内容が確認時から変わっているため、確認が済むまで実行できません。何も実行されていません。',
    in_flight: '{action}はすでに処理中です。今回は何も実行されていません。',
    outcome_unknown: failed,
    intent_conflict:
      '同じ操作が以前に別の内容で依頼されているため、{action}を中止しました。何も実行されていません。',
    fork_conflict:
      'この会話の以前の流れですでに実行されているため、{action}を中止しました。今回は何も実行されていません。',
    confirmation_required: '{action}を実行するには、ご確認が必要です。まだ何も実行されていません。',
    rejected_by_user: 'ご判断のとおり、{action}は実行しませんでした。何も変更されていません。',
    malformed_call: unreadable,
    output_truncated: unreadable,
    timed_out:
      '時間内に応答がなかったため、{action}を完了できませんでした。何も変更されていません。',
    cancelled: '{action}は取り消されました。何も変更されていません。',
    transport_lost:
      'サービスに接続できなかったため、{action}を実行できませんでした。何も変更されていません。',
    dependency_failed: failed,
    business_error: '{action}は受け付けられませんでした。何も変更されていません。',
    rate_limited: busy,
    overloaded: busy,
    deadline_exceeded:
      '残り時間が足りないため、{action}を開始しませんでした。何も変更されていません。',
    loop_detected: '同じ結果が繰り返されたため、{action}を中止しました。何も変更されていません。',
    tool_disabled: unavailable,
    circuit_open: unavailable,
    not_durable: unrecorded,
    ledger_unavailable: unrecorded,
    result_invalid: '{action}の応答が想定と異なるため、利用できません。何も変更されていません。',
    result_not_kept: failed,
  },
  denied: {
    credentials:
      '認証情報が受け付けられなかったため、{action}を実行できませんでした。何も実行されていません。',
    permission: '必要な権限がないため、{action}を実行できませんでした。何も実行されていません。',
    quota: '利用枠を使い切っているため、{action}を実行できませんでした。何も実行されていません。',
  },
  report: {
    complete: 'すべて回答しました。',
    interrupted: 'ご回答をお待ちしています。',
    partial: '一部の操作が完了していません。',
    failed: '何も変更されていません。',
    done: '完了した操作：{items}。これらが再度実行されることはありません。',
  },
};
