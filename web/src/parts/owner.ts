// Which colour stands for an owner: six, given in the order in which owners are seen first, and the
// rest in grey. The same owner keeps a colour while the page is open; the initials say it as well.
const kColours = 6;
const known = new Map<string, number>();

export function ownerColour(user: string): string {
  let place = known.get(user);
  if (place === undefined) {
    place = known.size;
    known.set(user, place);
  }
  return place < kColours ? `var(--owner-${place})` : 'var(--owner-rest)';
}
export function initials(user: string): string {
  const words = [...user].slice(0, 2).join('');
  return words || '?';
}
