import { ownerColour } from './owner';
import './owner.css';

export function Owner({ user }: { user: string }) {
  return (
    <span class="owner name">
      <span class="owner-dot" aria-hidden="true" style={{ background: ownerColour(user) }} />
      <bdi>{user}</bdi>
    </span>
  );
}
