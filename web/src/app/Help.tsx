// All keys that hold now.
import { Dialog } from '../parts/Dialog';
import { useWords } from '../words/words';
import { keysNow } from './keys';
import { words } from './words';

export function Help({ close }: { close: () => void }) {
  const w = useWords(words);
  return (
    <Dialog title={w.keys} close={close}>
      <table>
        <tbody>
          {keysNow().map((one) => (
            <tr key={one.key}>
              <td><kbd>{one.key}</kbd></td>
              <td>{one.what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button onClick={close}>{w.close}</button>
    </Dialog>
  );
}
