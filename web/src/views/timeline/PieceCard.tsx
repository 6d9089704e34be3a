// Beside the pointer or the focus: what one entry is.
import { Owner } from '../../parts/Owner';
import { StateMark } from '../../parts/StateMark';
import { bytes } from '../../words/figures';
import { useWords } from '../../words/words';
import type { Piece } from './layout';
import { timesText, whatText, whyText } from './pieceText';
import { words } from './words';

export function PieceCard({ piece, x, y, width, pinned, close }: { piece: Piece; x: number; y: number; width: number; pinned: boolean; close: () => void }) {
  const w = useWords(words);
  const why = whyText(piece);
  return (
    <div class={`piece-card ${pinned ? 'pinned' : ''}`} role="status" style={{ left: `${Math.max(4, Math.min(x + 12, width - 296))}px`, top: `${y + 14}px` }}>
      <p class="piece-title name"><strong>#{piece.job}</strong> <bdi>{piece.name ?? ''}</bdi></p>
      <p class="row"><Owner user={piece.user} /> <StateMark state={piece.kind === 'coming' && (piece.what === 'start' || piece.what === 'return') ? 'queued' : piece.state} /></p>
      <p>{w.card(piece.card)} · {whatText(piece)}{piece.vram ? ` · ${bytes(piece.vram)}` : ''}</p>
      <p class="number">{timesText(piece)}</p>
      {why && <p class="name">{why}</p>}
      {pinned && (
        <p class="row">
          <a class="button" href={`#/job/${piece.job}`}>{w.openJob(piece.job)}</a>
          <button class="plain" onClick={close} aria-label="✕">✕</button>
        </p>
      )}
    </div>
  );
}
