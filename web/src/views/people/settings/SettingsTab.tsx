// The settings in force and where each comes from; what differs from its default comes first.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import type { Setting, Settings } from '../../../api/settings';
import { useAnswer } from '../../../api/useAnswer';
import type { ViewProps } from '../../../app/App';
import { may, useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { useWords } from '../../../words/words';
import { differs, findSettings } from './find';
import { words } from './words';
import './settings.css';

export function SettingsTab(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const answer = useAnswer<Settings>('/v1/settings');
  const [text, setText] = useState('');
  const [reloading, setReloading] = useState(false);
  const list = (some: Setting[]) => <ul class="plain-list settings-list">{some.map((one) => <SettingItem key={one.name} setting={one} />)}</ul>;
  return (
    <>
      {may(who, 'operate') && <p class="row"><button onClick={() => setReloading(true)}>{w.reload}</button> <a class="button" href="/v1/config" target="_blank" rel="noreferrer">{w.raw}</a></p>}
      <Asked answer={answer}>
        {({ file, settings }) => {
          const { changed, rest } = findSettings(settings, text);
          return (
            <>
              <p class="quiet name">{file ? w.file(file) : w.noFile}</p>
              <div class="filters">
                <Field name={w.search}><input type="search" value={text} placeholder={w.searchHint} onInput={(event) => setText(event.currentTarget.value)} /></Field>
              </div>
              {changed.length + rest.length === 0 && <p class="empty">{w.nothing}</p>}
              {changed.length > 0 && <section><h2>{w.differ(changed.length)}</h2>{list(changed)}</section>}
              {changed.length === 0 && !text && <p class="quiet">{w.noneDiffers}</p>}
              {rest.length > 0 && <section><h2>{w.defaults(rest.length)}</h2>{list(rest)}</section>}
            </>
          );
        }}
      </Asked>
      {reloading && <Reload close={() => setReloading(false)} done={answer.again} />}
    </>
  );
}

function SettingItem({ setting }: { setting: Setting }) {
  const w = useWords(words);
  const from = { default: w.default, file: setting.line === null ? w.fromFile : w.fromLine(setting.line), 'command line': w.fromCommand, 'run time': w.fromRunTime }[setting.from];
  return (
    <li class="setting">
      <code class="setting-name">{setting.name}</code>
      <code class="setting-value name">{setting.value || w.empty}</code>
      <span class="quiet setting-from">{from ?? setting.from}</span>
      <span class="quiet setting-about">
        {setting.about}
        {differs(setting) && setting.value !== setting.default && <> <span class="name">{w.wasDefault(setting.default || w.empty)}</span></>}
        {setting.at_restart && <span class="warn name"> {w.atRestart(setting.waits ?? '–')}</span>}
      </span>
    </li>
  );
}

function Reload({ close, done }: { close: () => void; done: () => void }) {
  const w = useWords(words);
  return (
    <ChangeDialog<Schemas['ConfigReloaded']>
      title={w.reload}
      about={w.reloadAbout}
      wish={{ method: 'POST', path: '/v1/config/reload' }}
      plan={(would) => (
        <>
          {would.changes.length === 0 && <p>{w.noChanges}</p>}
          <ul>
            {would.changes.map((one) => (
              <li key={one.setting} class="name">{w.becomes(one.setting, one.from || w.empty, one.to || w.empty)}{one.at_restart && <span class="warn"> ({w.waits})</span>}</li>
            ))}
          </ul>
          {would.warnings?.map((one) => <p key={one} class="warn name">{one}</p>)}
        </>
      )}
      close={close}
      done={(answer) => {
        say(w.reloaded(answer.changes.filter((one) => !one.at_restart).length));
        done();
      }}
    />
  );
}
