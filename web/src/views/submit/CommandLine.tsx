// The equivalent command line, to be copied.
import { say } from '../../parts/Notices';
import { useWords } from '../../words/words';
import { words } from './words';

export function CommandLine({ line }: { line: string }) {
  const w = useWords(words);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      say(w.copied);
    } catch {
      say(w.copyFailed, true);
    }
  };
  return (
    <div class="panel">
      <div class="row apart"><h2>{w.line}</h2><button type="button" onClick={() => void copy()}>{w.copy}</button></div>
      <pre class="submit-line" tabIndex={0} role="region" aria-label={w.line}><code>{line}</code></pre>
      <p class="form-hint">{w.lineAbout}</p>
    </div>
  );
}
