// Colours and patterns of the picture, read from the page's own tokens, so that both themes and
// owners' colours are the same everywhere.
import { ownerColour } from '../../parts/owner';

export interface Paint {
  text: string;
  quiet: string;
  ground: string;
  panel: string;
  line: string;
  strong: string;
  run: string;
  bad: string;
  warn: string;
  aside: string;
  free: string;
  select: string;
  owner: (user: string) => string;
  font: string;
}

export function paintOf(place: Element): Paint {
  const style = getComputedStyle(place);
  const read = (name: string) => style.getPropertyValue(name).trim();
  const known = new Map<string, string>();
  return {
    text: read('--text'),
    quiet: read('--quiet'),
    ground: read('--ground'),
    panel: read('--panel'),
    line: read('--line'),
    strong: read('--line-strong'),
    run: read('--run'),
    bad: read('--bad'),
    warn: read('--warn'),
    aside: read('--aside'),
    free: read('--free'),
    select: read('--select'),
    font: style.fontFamily,
    owner: (user) => {
      let colour = known.get(user);
      if (colour === undefined) {
        colour = read(ownerColour(user).slice(4, -1));
        known.set(user, colour);
      }
      return colour;
    },
  };
}

// Names come from strangers. A picture has no isolation of directions, so what turns them round is
// taken out, and what is too long for any bar is cut.
export function plainName(name: string | null): string {
  return (name ?? '').slice(0, 80).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '');
}

// Slanted lines over a box.
export function hatch(to: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, colour: string, apart: number, slant: 1 | -1 = 1): void {
  to.save();
  to.beginPath();
  to.rect(x, y, width, height);
  to.clip();
  to.strokeStyle = colour;
  to.lineWidth = 1;
  to.beginPath();
  // From a fixed raster, so that the lines stand still while one pans.
  for (let at = Math.floor((x - height) / apart) * apart; at < x + width + height; at += apart) {
    to.moveTo(at, slant > 0 ? y + height : y);
    to.lineTo(at + height, slant > 0 ? y : y + height);
  }
  to.stroke();
  to.restore();
}
