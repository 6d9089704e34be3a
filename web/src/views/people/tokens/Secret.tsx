// The secret of a new token. It is on the page only while this is open.
import { useState } from 'preact/hooks';
import { Dialog } from '../../../parts/Dialog';
import { useWords } from '../../../words/words';
import { words } from './words';

export function Secret({ secret, close }: { secret: string; close: () => void }) {
  const w = useWords(words);
  const [note, setNote] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setNote(w.copied);
    } catch {
      // Over plain HTTP a browser has no clipboard for pages.
      setNote(w.notCopied);
    }
  };
  return (
    <Dialog title={w.secretTitle} close={close} stays>
      <p class="warn"><span aria-hidden="true">! </span>{w.secretAbout}</p>
      <p><input class="mono token-secret" readOnly value={secret} aria-label={w.secretTitle} onFocus={(event) => event.currentTarget.select()} /></p>
      <p role="status">{note}</p>
      <div class="row">
        <button class="main" onClick={() => void copy()}>{w.copy}</button>
        <button onClick={close}>{w.kept}</button>
      </div>
    </Dialog>
  );
}
